import { describe, expect, it } from "vitest";
import type { Event } from "../core/event.ts";
import { newThread, type Thread } from "../core/thread.ts";
import type { Exports } from "../core/world.ts";
import { type LaterExports, laterExports } from "./later-exports.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function stage() {
  const made: string[] = [];
  const exports: Exports = {
    append: (events) => made.push(`${events[0]?.thread_id} lines ${events.map(({ seq }) => seq).join(" ")}`),
    remake: ({ id, status }) => made.push(`${id} ${status}`),
    isBehind: () => false,
    reconcile: (id) => {
      made.push(`reconcile ${id}`);
      return undefined;
    },
  };
  const as = (id: string, status: Thread["status"]): Thread => ({ ...newThread(id), status });
  const line = (thread_id: string, seq: number) => ({ thread_id, seq }) as Event;
  return { made, exports, later: laterExports(exports, setImmediate), as, line };
}

describe("laterExports", () => {
  it("makes nothing at once, one thread at a time, and each as it is then", async () => {
    const { made, later, as } = stage();
    later.remake(as("a", "running"));
    later.remake(as("b", "running"));
    later.remake(as("a", "completed"));
    later.append([]);
    expect(made).toEqual([]);
    await nextTurn();
    expect(made).toEqual(["a completed"]);
    await nextTurn();
    expect(made).toEqual(["a completed", "b running"]);
    later.remake(as("b", "completed"));
    await nextTurn();
    expect(made.at(-1)).toBe("b completed");
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

  it("writes the lines of a moment at once, in their order", async () => {
    const { made, later, line } = stage();
    later.append([line("a", 1), line("a", 2)]);
    later.append([line("b", 1)]);
    later.append([line("a", 3)]);
    expect(made).toEqual([]);
    await nextTurn();
    await nextTurn();
    expect(made).toEqual(["a lines 1 2 3", "b lines 1"]);
  });

  it.each<[string, (later: LaterExports) => void]>([
    ["somebody asks whether one is missing", (later) => void later.isBehind("a")],
    ["the transcript is compared", (later) => void later.reconcile("a", [])],
    ["everything is made", (later) => later.flush()],
  ])("writes them at once, and once, when %s", async (_, ask) => {
    const { made, later, line } = stage();
    later.append([line("a", 1)]);
    ask(later);
    expect(made[0]).toBe("a lines 1");
    await nextTurn();
    expect(made.filter((each) => each.includes("lines"))).toHaveLength(1);
  });

  it("keeps no line back of a thread that stands still: only what follows in this turn comes first", async () => {
    const { made, line, as, exports } = stage();
    const later = laterExports(exports, () => {});
    later.append([line("a", 1)]);
    later.remake(as("a", "suspended"));
    await Promise.resolve();
    expect(made).toEqual([]);
    await nextTurn();
    expect(made).toEqual(["a lines 1"]);
    later.flush();
    expect(made).toEqual(["a lines 1", "a suspended"]);
  });

  it("keeps not many of one thread", () => {
    const { made, later, line } = stage();
    for (let seq = 1; seq <= 70; seq += 1) later.append([line("c", seq)]);
    expect(made).toEqual([expect.stringMatching(/^c lines 1 .* 64$/)]);
    later.flush();
    expect(made[1]).toBe("c lines 65 66 67 68 69 70");
  });
});
