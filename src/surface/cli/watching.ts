/**
 * `-w`: the same look again whenever something changed, until Ctrl-C. On a terminal it is drawn over the last one; off a
 * terminal, or where nothing may be redrawn, each line that is new or different is printed once.
 */
import { EXIT } from "../../core/problem.ts";
import type { World } from "../../core/world.ts";
import type { Answer } from "./answer.ts";
import { Frame } from "./frame.ts";
import type { Session } from "./session.ts";

export interface Watched {
  readonly answer: Answer;
  /** One for each thing that is watched, without what changes by itself; its first column is its name. */
  readonly lines: readonly string[];
}

const LOOK_EVERY_MS = 100;
/** Ages grow without anybody writing. */
const REDRAW_MS = 1_000;

export async function watch(session: Session, world: World, look: () => Promise<Watched>): Promise<Answer> {
  const { terminal } = session;
  // A program that asks to watch gets what there is: events tell it the rest.
  if (terminal.isMachine) return (await look()).answer;
  const signal = AbortSignal.any([session.interruption().signal, terminal.gone]);
  const show = terminal.redraws ? redrawn(session) : printed(session);
  let answer: Answer;
  do {
    const version = world.store.version();
    const watched = await look();
    answer = watched.answer;
    show(watched);
    await changed(world, version, terminal.redraws ? REDRAW_MS : undefined, signal);
  } while (!signal.aborted);
  if (terminal.redraws) terminal.print("");
  return { ...answer, exit: session.interruption().exit ?? EXIT.ok, text: "", hint: "" };
}

async function changed(
  { store, clock }: World,
  version: number,
  most: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const until = most === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + most;
  while (!signal.aborted && store.version() === version && clock.monotonic() < until) {
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

function redrawn({ terminal }: Session): (watched: Watched) => void {
  const frame = new Frame({
    get columns() {
      return process.stdout.columns;
    },
    get rows() {
      return process.stdout.rows;
    },
    shown: (line) => terminal.shown(line),
    write: (text) => terminal.draw(text),
  });
  return ({ answer: { text = "", hint = "" } }) =>
    frame.draw([text, hint].filter((part) => part !== "").flatMap((part) => part.split("\n")));
}

function printed({ terminal }: Session): (watched: Watched) => void {
  const known = new Map<string, string>();
  return ({ lines }) => {
    const names = new Set<string>();
    for (const line of lines) {
      const name = line.split("\t", 1)[0] ?? "";
      names.add(name);
      if (known.get(name) !== line) terminal.print(line);
      known.set(name, line);
    }
    for (const name of known.keys()) {
      if (names.has(name)) continue;
      known.delete(name);
      terminal.print(`${name}\tgone`);
    }
  };
}
