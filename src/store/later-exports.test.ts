import { describe, expect, it } from "vitest";
import { newThread, type Thread } from "../core/thread.ts";
import type { Exports } from "../core/world.ts";
import { laterExports } from "./later-exports.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function stage() {
  const made: string[] = [];
  const exports: Exports = {
    append: (events) => made.push(`append ${events.length}`),
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
    later.append([]);
    expect(made).toEqual(["append 0"]);
    await nextTurn();
    expect(made).toEqual(["append 0", "a completed"]);
    await nextTurn();
    expect(made).toEqual(["append 0", "a completed", "b running"]);
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
});
