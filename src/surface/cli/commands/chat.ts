/** `selvage chat`: a talk at this terminal, with the project's directive `chat` or the one that is built in. */
import { Command } from "commander";
import { addressOf } from "../../../core/chat-platform.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import type { Notice, World } from "../../../core/world.ts";
import { prepareTalk } from "../../chat/beginning.ts";
import { ChatBot } from "../../chat/bot.ts";
import { LocalPlatform } from "../../chat/platforms/local.ts";
import { rulesOf } from "../../chat/rules.ts";
import { partsOf } from "../../sdk/parts.ts";
import type { Answer } from "../answer.ts";
import { holdRoom } from "../chat-room.ts";
import { requirePerson } from "../operator.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { type Session, untrusted } from "../session.ts";

interface ChatOptions {
  readonly room: string;
}

export function chatCommand(play: Play): Command {
  return new Command("chat")
    .description(
      "talk with the project's agent here; what was said is kept, and the next talk goes on from it",
    )
    .option("--room <name>", "another talk than the usual one", "terminal")
    .action((options: ChatOptions) => play((session) => chat(session, options)));
}

async function chat(session: Session, { room }: ChatOptions): Promise<Answer> {
  // Whoever talks here may also approve what the agent asks for.
  requirePerson("chat");
  const { terminal, house } = session;
  if (terminal.isMachine)
    throw new Problem("E_USAGE", {
      what: "selvage chat is for people.",
      why: "--json and --jsonl are for commands that answer once.",
      next: [{ cmd: "selvage rpc", why: "is for programs that talk with an agent" }],
    });
  const root = house.findProject(session.folder);
  const trust = house.trustOf(root);
  if (!trust.trusted) throw untrusted(root, trust, session.mayAsk);
  const rules = rulesOf(await house.chatSettings(root));
  const interruption = session.interruption();
  const runtime = await house.openProgram(root, {
    recover: "auto",
    onNotice: (notice) => tell(session, notice),
  });
  const { premises, feed } = partsOf(runtime);
  const { clock, random } = premises.world;
  let leave = () => {};
  let waiting: ThreadRow | undefined;
  try {
    // What speaks against a talk is said before anybody says anything.
    prepareTalk(premises, rules.directive({ platform: "local", chat: room }));
    leave = holdRoom(root, room, premises.world.machine);
  } catch (error) {
    await runtime.close();
    throw error;
  }
  const platform = new LocalPlatform({
    ...{ input: process.stdin, output: { write: (text) => void process.stdout.write(text) } },
    ...{ isTerminal: process.stdout.isTTY === true, clock, random, person: person(), chat: room },
  });
  if (process.stdin.isTTY && !session.flags.quiet)
    terminal.say("Say something; /help tells what else there is, Ctrl-D ends. Everything said is kept.");
  const trouble = (message: string) => session.warn(message);
  const heed = (listener: (notice: Notice) => void) => premises.listen(listener);
  const bot = await ChatBot.start({ premises, feed, heed, platforms: [platform], rules, trouble });
  try {
    const stopped = new Promise<void>((resolve) => {
      interruption.signal.addEventListener("abort", () => resolve(), { once: true });
      terminal.gone.addEventListener("abort", () => resolve(), { once: true });
    });
    // What was asked before the end is still answered; Ctrl-C does not wait for that.
    await Promise.race([platform.ended.then(() => bot.rest()), stopped]);
    waiting = await waitsForSomebody(premises.world, room);
  } finally {
    await bot.stop();
    leave();
    process.stdin.destroy();
    await runtime.close();
  }
  if (waiting) terminal.say(`${waiting.thread_id} needs you: selvage show ${waiting.thread_id}`);
  return { kind: "chat", exit: interruption.exit ?? (waiting ? EXIT.needs_you : EXIT.ok), data: {} };
}

/** A message that failed, or that waits behind one, was not answered: whoever pipes them in is told. */
async function waitsForSomebody({ store }: World, room: string): Promise<ThreadRow | undefined> {
  const address = addressOf({ platform: "local", chat: room });
  const [row] = await store.find({ address, onlyHeads: true, limit: 1 });
  return row?.status === "suspended" ? row : undefined;
}

function tell(session: Session, notice: Notice): void {
  if (notice.type !== "event" && notice.type !== "live" && notice.type !== "sandbox" && "message" in notice)
    session.warn(notice.message);
}
