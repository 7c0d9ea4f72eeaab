import { describe, expect, it } from "vitest";
import { newThread, type Thread } from "../core/thread.ts";
import { WarmThreads } from "./warm-threads.ts";

const as = (id: string, seq: number): Thread => ({ ...newThread(id), seq });
const row = (thread_id: string, epoch: number, seq: number) => ({ thread_id, epoch, seq });

describe("threads that were parked here a moment ago", () => {
  it.each([
    ["nobody held it since", row("a", 3, 7), true],
    ["somebody held it since", row("a", 4, 7), false],
    ["something was written to it", row("a", 3, 8), false],
    ["it was never here", row("b", 3, 7), false],
  ])("%s", (_, asked, isKnown) => {
    const warm = new WarmThreads();
    const thread = as("a", 7);
    warm.keep(thread, { epoch: 3 });
    expect(warm.take(asked)).toBe(isKnown ? thread : undefined);
  });

  it("is handed out once: from then on its walker changes it", () => {
    const warm = new WarmThreads();
    warm.keep(as("a", 7), { epoch: 3 });
    warm.take(row("a", 3, 7));
    expect(warm.take(row("a", 3, 7))).toBeUndefined();
  });

  it("keeps few, and few events: the oldest go first", () => {
    const warm = new WarmThreads();
    for (let n = 0; n < 100; n += 1) warm.keep(as(`t${n}`, 5), { epoch: 1 });
    const left = Array.from({ length: 100 }, (_, n) => warm.take(row(`t${n}`, 1, 5))?.id).filter(Boolean);
    expect(left).toEqual(Array.from({ length: 64 }, (_, n) => `t${n + 36}`));
    for (const id of ["a", "b", "c"]) warm.keep(as(id, 4_000), { epoch: 1 });
    expect(["a", "b", "c"].map((id) => warm.take(row(id, 1, 4_000))?.id)).toEqual([undefined, "b", "c"]);
    // One that is too long alone is not kept at all.
    warm.keep(as("long", 20_000), { epoch: 1 });
    expect(warm.take(row("long", 1, 20_000))).toBeUndefined();
  });
});
