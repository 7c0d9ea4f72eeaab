import { describe, expect, it } from "vitest";
import type { Event } from "../core/event.ts";
import { newThread, type Thread } from "../core/thread.ts";
import type { Exports } from "../core/world.ts";
import { laterExports } from "./later-exports.ts";

const event = (thread_id: string, seq: number) => ({ thread_id, seq }) as Event;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function stage() {
  const made: string[] = [];
  const exports: Exports = {
    append: (events) =>
      made.push(`append ${events.map(({ thread_id, seq }) => `${thread_id}${seq}`).join(" ")}`),
    remake: ({ id, status }) => made.push(`${id} ${status}`),
    isBehind: () => false,
    reconcile: (id) => {
      made.push(`reconcile ${id}`);
      return undefined;
    },
  };
  const as = (id: string, status: Thread["status"]): Thread => ({ ...newThread(id), status });
  return { made, later: laterExports(exports, setImmediate), as };
}

describe("laterExports", () => {
  it("makes nothing at once, one thread at a time, and each as it is then", async () => {
    const { made, later, as } = stage();
    later.remake(as("a", "running"));
    later.remake(as("b", "running"));
    later.remake(as("a", "completed"));
    expect(made).toEqual([]);
    await nextTurn();
    expect(made).toEqual(["a completed"]);
    await nextTurn();
    expect(made).toEqual(["a completed", "b running"]);
    later.remake(as("b", "completed"));
    await nextTurn();
    expect(made.at(-1)).toBe("b completed");
  });

  it("writes the lines of one turn of the loop together, after what follows from them, and each once", async () => {
    const { made, later } = stage();
    later.append([event("a", 1)]);
    later.append([event("b", 1)]);
    later.append([event("a", 2), event("a", 3)]);
    later.append([]);
    await Promise.resolve();
    expect(made).toEqual([]);
    await nextTurn();
    expect(made).toEqual(["append a1 a2 a3", "append b1"]);
    later.append([event("a", 4)]);
    await nextTurn();
    expect(made.slice(2)).toEqual(["append a4"]);
  });

  it.each<[string, (later: ReturnType<typeof laterExports>) => void]>([
    ["somebody asks whether one is missing", (later) => void later.isBehind("a")],
    ["the transcript is compared", (later) => void later.reconcile("a", [])],
    ["everything is made", (later) => later.flush()],
  ])("writes them at once when %s", async (_, ask) => {
    const { made, later } = stage();
    later.append([event("a", 1)]);
    ask(later);
    expect(made[0]).toBe("append a1");
    await nextTurn();
    expect(made.filter((each) => each.startsWith("append"))).toHaveLength(1);
  });

  it("writes them before the files that tell of the end: whoever ended closes its transcript", () => {
    const { made, later, as } = stage();
    later.append([event("a", 1)]);
    later.remake(as("a", "completed"));
    later.flush();
    expect(made).toEqual(["append a1", "a completed"]);
  });

  it("has made everything after a flush, and before a transcript is compared", async () => {
    const { made, later, as } = stage();
    for (const id of ["a", "b", "c"]) later.remake(as(id, "suspended"));
    later.reconcile("b", []);
    expect(made).toEqual(["b suspended", "reconcile b"]);
    later.flush();
    expect(made.slice(2)).toEqual(["a suspended", "c suspended"]);
    await nextTurn();
    expect(made).toHaveLength(4);
  });
});
