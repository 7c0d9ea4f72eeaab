/**
 * The command line: finds out what was asked, does it, and prints one answer.
 *   M1. Whatever happens, a machine format gets exactly one envelope, as the last thing on stdout.
 *   M2. `ok` is true exactly when the process exits 0.
 *   M3. The exit code is returned after both streams are flushed; nobody calls process.exit before that.
 */
import { CommanderError } from "commander";
import { type Answer, envelope, errorEnvelope } from "./answer.ts";
import type { House } from "./house.ts";
import { exitOf, problemData, problemText, toProblem } from "./problem-text.ts";
import { buildProgram } from "./program.ts";
import { Session } from "./session.ts";
import { Terminal } from "./terminal.ts";
import { usageProblem } from "./usage.ts";

/** The process is gone this long after its last word, even if a stray handle would keep it. */
const LINGER_MS = 1_500;

export async function main(argv: readonly string[], house: House): Promise<number> {
  const terminal = new Terminal(argv, house.redact);
  const over = new AbortController();
  const exit = await Promise.race([answering(argv, house, terminal), crashed(terminal, over.signal)]);
  over.abort();
  await terminal.flush();
  setTimeout(() => process.exit(exit), LINGER_MS).unref();
  return exit;
}

async function answering(argv: readonly string[], house: House, terminal: Terminal): Promise<number> {
  try {
    const { answer, session } = await perform(argv, house, terminal);
    return deliver(answer, terminal, session?.warnings ?? []);
  } catch (error) {
    return fail(error, terminal);
  }
}

async function perform(
  argv: readonly string[],
  house: House,
  terminal: Terminal,
): Promise<{ answer: Answer; session?: Session }> {
  if (asksVersion(argv)) return { answer: version(house) };
  let help = "";
  let done: { answer: Answer; session: Session } | undefined;
  const program = buildProgram({
    write: (text) => {
      help += text;
    },
    play: async (act, flags) => {
      const session = new Session(house, terminal, flags);
      try {
        done = { answer: await act(session), session };
      } finally {
        await session.close();
      }
    },
  });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (help === "" || error.exitCode !== 0) {
      throw usageProblem(
        error,
        argv,
        program.commands.map((command) => command.name()),
      );
    }
  }
  return done ?? { answer: { kind: "help", exit: 0, data: { text: help }, text: help.trimEnd() } };
}

function asksVersion(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--version");
}

function version({ version: number }: House): Answer {
  return { kind: "version", exit: 0, data: { version: number }, text: number };
}

function deliver(answer: Answer, terminal: Terminal, warnings: readonly string[]): number {
  if (terminal.isMachine) {
    terminal.final(envelope({ ...answer, warnings: [...(answer.warnings ?? []), ...warnings] }));
  } else {
    terminal.show(answer.text ?? "");
    terminal.say(answer.hint ?? "");
  }
  return answer.exit;
}

function fail(error: unknown, terminal: Terminal): number {
  const problem = toProblem(error);
  const exit = exitOf(problem);
  terminal.say(problemText(problem, terminal.err, terminal.look));
  if (terminal.isMachine) terminal.final(errorEnvelope(exit, problemData(problem)));
  return exit;
}

/** What nobody caught is told like everything else, once; after the last word it is too late to matter. */
function crashed(terminal: Terminal, over: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const tell = (error: unknown) => {
      if (!over.aborted) resolve(fail(error, terminal));
    };
    process.on("uncaughtException", tell);
    process.on("unhandledRejection", tell);
  });
}
