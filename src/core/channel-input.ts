/** What a call of `channel` may ask for. */
import * as z from "zod/mini";
import { CHANNEL_MODES } from "./channel-events.ts";

/** Of one post. */
const LONGEST_POST = 8_000;

export const ChannelTalk = () =>
  z
    .object({
      action: z
        .enum(["join", "post", "read", "leave"])
        .check(
          z.describe(
            "read: what others posted since the last read. In a round_robin channel it waits for your turn.",
          ),
        ),
      channel: z
        .string()
        .check(
          z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/),
          z.describe("Its name: letters, digits, - and _."),
        ),
      mode: z
        .optional(z.enum(CHANNEL_MODES))
        .check(
          z.describe(
            "With join, for a new channel: round_robin (one after the other) or on_demand (whenever one likes).",
          ),
        ),
      text: z
        .optional(z.string().check(z.minLength(1), z.maxLength(LONGEST_POST)))
        .check(z.describe("With post: what everybody else in the channel is told.")),
      timeout: z
        .optional(z.number().check(z.nonnegative(), z.maximum(86_400)))
        .check(z.describe("With read: seconds to wait; 600 in round_robin, 0 (do not wait) in on_demand.")),
    })
    .check(
      z.refine(({ action, text }) => (action === "post") === (text !== undefined), {
        path: ["text"],
        error: "post needs it, and nothing else has it",
      }),
      z.refine(({ action, mode }) => action === "join" || mode === undefined, {
        path: ["mode"],
        error: "only join has it",
      }),
      z.refine(({ action, timeout }) => action === "read" || timeout === undefined, {
        path: ["timeout"],
        error: "only read has it",
      }),
    );

/** The tool with which threads of one tree talk to each other. */
export const CHANNEL_TOOL = "channel";

export type ChannelInput = z.output<ReturnType<typeof ChannelTalk>>;
