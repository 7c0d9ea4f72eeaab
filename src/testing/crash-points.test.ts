import { expect, test } from "vitest";
import type { World } from "../core/world.ts";
import { CRASH_POINTS, dyingWorld, parseCrashPoint } from "./crash-points.ts";

test.each([
  ["after_model", { name: "after_model", turn: undefined }],
  ["turn:2:after_model", { name: "after_model", turn: 2 }],
  ["turn:12:before_tool", { name: "before_tool", turn: 12 }],
])("%s is a point", (text, parsed) => {
  expect(parseCrashPoint(text)).toEqual(parsed);
});

test.each([
  "",
  "turn:0:after_model",
  "turn:x:after_model",
  "turn:2",
  "after_modell",
  "toString",
  "turn:2:after_model:x",
])("%j is none, and those that there are are told", (text) => {
  expect(() => parseCrashPoint(text)).toThrow(Object.keys(CRASH_POINTS).join(", "));
});

/** A world that notes what it was asked for; the moment of death stands among it. */
async function deathAt(point: string): Promise<string[]> {
  const noted: string[] = [];
  const note = (what: string) => async () => {
    noted.push(what);
    return {} as never;
  };
  const real = {
    store: { create: note("create"), commit: note("commit") },
    model: () => ({ streams: false, ask: note("model") }),
    tool: () => ({ name: "t", run: note("tool") }),
    get toolNames() {
      return noted.map((what) => what.length);
    },
  } as unknown as World & { toolNames: number[] };
  const world = dyingWorld(real, point, () => void noted.push("death"));
  const commit = (type: string, turn?: number) =>
    world.store.commit({} as never, { events: [{ type, ...(turn ? { turn } : {}) }] } as never);
  await world.store.create({} as never);
  await world.model("m")?.ask({ answers: 0 } as never, () => {}, new AbortController().signal);
  await world.tool("t")?.run({}, { turn: 1 } as never);
  for (const type of ["auto_retry_start", "wait_started", "thread_suspended", "thread_continued"])
    await commit(type, type === "auto_retry_start" ? 2 : undefined);
  expect(world.toolNames).toHaveLength(noted.length);
  return noted;
}

const LIFE = ["create", "model", "tool", "commit", "commit", "commit", "commit"];

test.each([
  ["initial_save", 1],
  ["before_model", 1],
  ["turn:1:before_model", 1],
  ["after_model", 2],
  ["before_tool", 2],
  ["after_tool", 3],
  ["in_backoff", 4],
  ["turn:2:in_backoff", 4],
  ["in_wait", 5],
  ["in_suspend", 6],
  ["in_hand_off", 6],
])("at %s it dies after %i of its deeds", async (point, at) => {
  expect(await deathAt(point)).toEqual([...LIFE.slice(0, at), "death", ...LIFE.slice(at)]);
});

test.each(["turn:2:before_model", "turn:2:after_tool", "turn:1:in_backoff"])(
  "%s is of another turn",
  async (point) => {
    expect(await deathAt(point)).toEqual(LIFE);
  },
);
