import { expect, test } from "vitest";
import { BrokenChain, chainOf, chainPositions, headOf } from "./chain-links.ts";
import { newRow, type ThreadRow } from "./row.ts";

const row = (thread_id: string, before: string | null, after: string | null) =>
  ({ ...newRow(thread_id), continuation_of: before, continuation_thread_id: after }) as ThreadRow;
const registry = (...rows: ThreadRow[]) => ({
  find: async ({ threadId }: { threadId?: string }) => rows.filter((each) => each.thread_id === threadId),
});
const named = (rows: readonly ThreadRow[]) => rows.map(({ thread_id }) => thread_id).join("");

const [a, b, c] = [row("a", null, "b"), row("b", "a", "c"), row("c", "b", null)];

test.each([a, b, c])("the chain is the same from each of its threads: $thread_id", async (from) => {
  const store = registry(a, b, c);
  expect(named(await chainOf(store, from))).toBe("abc");
  expect((await headOf(store, from)).thread_id).toBe("c");
});

test("one that was never continued is its own chain", async () => {
  const alone = row("x", null, null);
  expect(named(await chainOf(registry(alone), alone))).toBe("x");
});

test("a place is counted from the first thread of the chain; where links are damaged there is none", async () => {
  const [alone, broken] = [row("x", null, null), row("y", "gone", null)];
  const asked: string[] = [];
  const { find } = registry(a, b, c, alone, broken);
  const store = {
    find: (query: { threadId?: string }) => {
      asked.push(query.threadId ?? "");
      return find(query);
    },
  };
  const positions = await chainPositions(store, ["c", "x", "b", "y", "nobody", "a"]);
  expect([...positions]).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
    ["x", 1],
  ]);
  // A chain is walked once.
  expect(asked.join(" ")).toBe("c b a x y gone nobody");
});

test.each<[string, ThreadRow[], string]>([
  ["to itself", [row("a", null, "a")], "its chain leads in a circle, at a"],
  ["in a circle of two", [row("a", "b", "b"), row("b", "a", "a")], "its chain leads in a circle, at a"],
  [
    "into a circle further on",
    [row("a", null, "b"), row("b", "a", "c"), row("c", "b", "b")],
    "leads in a circle, at b",
  ],
  ["nowhere", [row("a", null, "gone")], "leads to gone, and there is no such thread"],
])("a link that leads %s is damage, and nothing loops", async (_, rows, why) => {
  const [first] = rows as [ThreadRow];
  await expect(headOf(registry(...rows), first)).rejects.toThrow(why);
  await expect(chainOf(registry(...rows), first)).rejects.toThrow(BrokenChain);
});
