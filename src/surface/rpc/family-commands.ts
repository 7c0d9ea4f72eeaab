/** Commands of the family of coding agents: their names and fields are theirs, so that its clients work unchanged. */
import * as z from "zod/mini";
import { declared, flag, maybe, message, whatever } from "./declared.ts";

const images = maybe(z.array(whatever), "Not taken: models are asked in text alone.");
const level = z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]);
const mode = z.enum(["all", "one-at-a-time"]);

export const FAMILY_COMMANDS = {
  prompt: declared(
    "Says something: starts a thread, or goes on with the chain. Answered once it is stored.",
    {
      message,
      images,
      streamingBehavior: maybe(
        z.enum(["steer", "followUp"]),
        "What to do with it while a thread is at work; without it, it is refused then.",
      ),
    },
  ),
  steer: declared("Is read before the next turn.", { message, images }),
  follow_up: declared("Is read when the thread would end; kept in the store until then.", {
    message,
    images,
  }),
  abort: declared(
    "Ends a wait for another try, then all that is under way. The next prompt goes on.",
    {},
    { isLong: true },
  ),
  new_session: declared("Lets go of this chain; the next prompt begins another.", {
    parentSession: maybe(z.string(), "Not taken: a chain has no parent."),
  }),
  get_state: declared("What is known of the session now.", {}),
  set_model: declared("From the next prompt on.", { provider: z.string(), modelId: z.string() }),
  cycle_model: declared("The next of the models there are; null when there is only one.", {}),
  get_available_models: declared("Models that can be asked here.", {}),
  set_thinking_level: declared("Refused: there are no levels here.", { level }),
  cycle_thinking_level: declared("Always null: there are no levels here.", {}),
  set_steering_mode: declared("`all` is what holds; `one-at-a-time` is refused.", { mode }),
  set_follow_up_mode: declared("`one-at-a-time` is what holds; `all` is refused.", { mode }),
  compact: declared(
    "Makes the conversation shorter; between two prompts, before the next turn.",
    { customInstructions: maybe(z.string(), "What the notes should look at.") },
    { isLong: true },
  ),
  set_auto_compaction: declared("`true` is what holds; `false` is refused.", { enabled: flag }),
  set_auto_retry: declared("Whether failed requests are made again. Stored with the chain.", {
    enabled: flag,
  }),
  abort_retry: declared("Gives up a wait for another try: the thread is suspended.", {}),
  bash: declared("Refused: commands run in threads, with their rights.", { command: z.string() }),
  abort_bash: declared("Refused, as `bash` is.", {}),
  get_session_stats: declared("Messages, tokens, cost and how full the conversation is.", {}),
  export_html: declared("Refused: `selvage export` writes what there is.", { outputPath: maybe(z.string()) }),
  switch_session: declared("Takes up another chain, by any of its threads.", {
    sessionPath: z.string().check(z.describe("A thread: its id, a unique beginning of it, or @last.")),
  }),
  fork: declared("Refused: a fork begins with something to do; `selvage fork` makes one.", {
    entryId: z.string(),
  }),
  clone: declared("Refused, as `fork` is.", {}),
  get_fork_messages: declared("Refused, as `fork` is.", {}),
  get_last_assistant_text: declared("The last answer; null when there is none.", {}),
  set_session_name: declared("Refused: threads are called by their ids.", { name: z.string() }),
  get_messages: declared("All that was said in the chain.", {}),
  get_commands: declared("Always none: a prompt is said as it is written.", {}),
} as const;
