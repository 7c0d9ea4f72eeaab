/**
 * Moments of a thread at which a process can be made to die, by name (UX (i) 6). What is about to be written is lost, what
 * is written stays: after each of them the thread is brought back and ends as if nothing had been.
 */

import type { Batch } from "../core/commit.ts";
import type { NewEvent } from "../core/event.ts";
import type { Model } from "../core/model.ts";
import type { Store } from "../core/store.ts";
import type { Tool } from "../core/tool.ts";
import type { World } from "../core/world.ts";

/** What each of them means. */
export const CRASH_POINTS = {
  initial_save: "the thread is stored, and nothing of it has happened",
  before_model: "the money is held, and the model is about to be asked",
  after_model: "the model has answered, and the answer is not stored",
  before_tool: "a call is stored, and its tool is about to run",
  after_tool: "the tool has run, and its result is not stored",
  in_backoff: "a failure is stored, and the wait for another try begins",
  in_wait: "the wait for children is stored",
  in_suspend: "the question to a person is stored",
  in_hand_off: "the conversation is about to go on in another thread",
} as const;

export type CrashPointName = keyof typeof CRASH_POINTS;

/** `after_model`, or of one turn: `turn:2:after_model`. */
export type CrashPoint = CrashPointName | `turn:${number}:${CrashPointName}`;

interface Parsed {
  readonly name: CrashPointName;
  readonly turn: number | undefined;
}

export function parseCrashPoint(text: string): Parsed {
  const [, turn, name = ""] = /^(?:turn:([1-9]\d*):)?([a-z_]+)$/.exec(text) ?? [];
  if (Object.hasOwn(CRASH_POINTS, name))
    return { name: name as CrashPointName, turn: turn === undefined ? undefined : Number(turn) };
  const known = Object.keys(CRASH_POINTS).join(", ");
  throw new TypeError(`"${text}" is no crash point. There are ${known}; of one turn, turn:2:after_model.`);
}

/** Events whose commit is the moment: `landed` dies after it, `lost` before it. */
const COMMITS: Partial<Record<CrashPointName, { readonly type: string; readonly fate: "landed" | "lost" }>> =
  {
    in_backoff: { type: "auto_retry_start", fate: "landed" },
    in_wait: { type: "wait_started", fate: "landed" },
    in_suspend: { type: "thread_suspended", fate: "landed" },
    in_hand_off: { type: "thread_continued", fate: "lost" },
  };

/** The same world; `die` is called at the point, and does not return. */
export function dyingWorld<W extends World>(world: W, point: string, die: () => void): W {
  const parsed = parseCrashPoint(point);
  const isNow = (name: CrashPointName, turn?: number) =>
    parsed.name === name && (parsed.turn === undefined || turn === undefined || parsed.turn === turn);
  const around = async <T>(
    turn: number,
    [before, after]: readonly [CrashPointName, CrashPointName],
    act: () => Promise<T>,
  ) => {
    if (isNow(before, turn)) die();
    const done = await act();
    if (isNow(after, turn)) die();
    return done;
  };
  const dyingModel = (model: Model): Model => ({
    ...model,
    ask: (request, ...rest) =>
      around(request.answers + 1, ["before_model", "after_model"], () => model.ask(request, ...rest)),
  });
  const dyingTool = (tool: Tool): Tool => ({
    ...tool,
    run: (input, context) =>
      around(context.turn, ["before_tool", "after_tool"], () => tool.run(input, context)),
  });
  const parts = {
    store: dyingStore(world.store, isNow, die),
    model: (name: string) => mapped(world.model(name), dyingModel),
    tool: (name: string) => mapped(world.tool(name), dyingTool),
  };
  // What a world works out when it is asked stays so: its getters are kept.
  const whole = { ...Object.getOwnPropertyDescriptors(world), ...Object.getOwnPropertyDescriptors(parts) };
  return Object.defineProperties({} as W, whole);
}

type IsNow = (name: CrashPointName, turn?: number) => boolean;

function dyingStore(store: Store, isNow: IsNow, die: () => void): Store {
  const fateOf = ({ events, tail = [] }: Batch) => {
    const all: readonly NewEvent[] = [...events, ...tail];
    return Object.entries(COMMITS).find(
      ([name, { type }]) =>
        all.some((event) => event.type === type) && isNow(name as CrashPointName, turnIn(all)),
    )?.[1].fate;
  };
  return {
    ...store,
    create: async (birth) => {
      const made = await store.create(birth);
      if (isNow("initial_save")) die();
      return made;
    },
    commit: async (lease, batch, handOver) => {
      const fate = fateOf(batch);
      if (fate === "lost") die();
      const committed = await store.commit(lease, batch, handOver);
      if (fate === "landed") die();
      return committed;
    },
  };
}

/** Where its events name one. */
function turnIn(events: readonly NewEvent[]): number | undefined {
  const turns = events.flatMap((event) =>
    "turn" in event && typeof event.turn === "number" ? [event.turn] : [],
  );
  return turns.at(-1);
}

function mapped<T>(value: T | undefined, map: (value: T) => T): T | undefined {
  return value === undefined ? undefined : map(value);
}
