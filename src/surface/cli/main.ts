/**
 * The command line: finds out what was asked, does it, and prints one answer.
 *   M1. Whatever happens, a machine format gets exactly one envelope, as the last thing on stdout.
 *   M2. `ok` is true exactly when the process exits 0.
 *   M3. The exit code is returned after both streams are flushed; nobody calls process.exit before that.
 */
import { type Answer, envelope, errorEnvelope } from "./answer.ts";
import { asksVersion, helpAsked } from "./asked.ts";
import { helpText, readPage } from "./help-page.ts";
import type { House } from "./house.ts";
import { exitOf, problemData, problemText, toProblem } from "./problem-text.ts";
import { rootHelp } from "./root-help.ts";
import type { Session } from "./session.ts";
import { isTaken } from "./stray.ts";
import { Terminal } from "./terminal.ts";

/** What is there before anything else is loaded. */
export interface Doorstep {
  readonly version: string;
  /** Whoever asks for it has the whole house loaded, and waits for it. */
  house(): Promise<House>;
}

/** The process is gone this long after its last word, even if a stray handle would keep it. */
const LINGER_MS = 1_500;

export async function main(argv: readonly string[], doorstep: Doorstep): Promise<number> {
  const terminal = new Terminal(argv);
  const over = new AbortController();
  const exit = await Promise.race([answering(argv, doorstep, terminal), crashed(terminal, over.signal)]);
  over.abort();
  await terminal.flush();
  setTimeout(() => process.exit(exit), LINGER_MS).unref();
  return exit;
}

async function answering(argv: readonly string[], doorstep: Doorstep, terminal: Terminal): Promise<number> {
  try {
    const { answer, session } = await perform(argv, doorstep, terminal);
    return await deliver(answer, terminal, session?.warnings ?? []);
  } catch (error) {
    return fail(error, terminal);
  }
}

interface Performed {
  readonly answer: Answer;
  readonly session?: Session;
}

async function perform(argv: readonly string[], doorstep: Doorstep, terminal: Terminal): Promise<Performed> {
  if (asksVersion(argv)) return { answer: version(doorstep) };
  const known = await knownHelp(helpAsked(argv));
  if (known !== undefined) return { answer: help(known) };
  const [{ play }, house] = await Promise.all([import("./play.ts"), doorstep.house()]);
  terminal.redactWith(house.redact);
  const done = await play(argv, house, terminal);
  return "help" in done ? { answer: help(done.help) } : done;
}

async function knownHelp(command: string | undefined): Promise<string | undefined> {
  if (command === undefined) return undefined;
  const { columns } = process.stdout;
  if (command === "") return rootHelp(columns);
  const { HELP_PAGES } = await import("./help-pages.ts");
  const page = readPage(HELP_PAGES, command);
  return page && helpText(page, columns);
}

function version({ version: number }: Doorstep): Answer {
  return { kind: "version", exit: 0, data: { version: number }, text: number };
}

function help(text: string): Answer {
  return { kind: "help", exit: 0, data: { text }, text: text.trimEnd() };
}

async function deliver(answer: Answer, terminal: Terminal, warnings: readonly string[]): Promise<number> {
  if (terminal.isMachine) {
    terminal.final(envelope({ ...answer, warnings: [...(answer.warnings ?? []), ...warnings] }));
  } else {
    await terminal.show(answer.text ?? "");
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
    process.on("unhandledRejection", (error) => {
      if (!isTaken(error)) tell(error);
    });
  });
}
