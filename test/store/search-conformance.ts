/** The part of the suite for every store that is about searching: what is found is what a naive look finds (X3). */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import { loadPatterns } from "../../src/core/like.ts";
import { type SearchAsk, search } from "../../src/core/search.ts";
import { compileQuery } from "../../src/core/search-query.ts";
import { createdAs, ID, type openBench, started } from "./bench.ts";

type SetUp = () => ReturnType<typeof openBench>;
type World = Awaited<ReturnType<SetUp>>;

const OTHER = "work-1767225601-bbb111";
const THIRD = "work-1767225602-ccc222";

const says = (text: string): NewEvent => ({
  ...{ type: "cognition_out", turn: 1, attempt: 1, content: [{ type: "text", text }] },
  ...{ stop: "end", truncated: false, usage: { input: 1, cache_read: 0, cache_write: 0, output: 1 } },
});
const calls = (input: unknown): NewEvent => ({
  ...{ type: "tool_call_start", turn: 1, call_id: "c", at: 0, tool: "bash", input },
  ...{ effect: "pure", preceding: [] },
});
const answers = (output: string): NewEvent => ({
  ...{ type: "tool_call_result", turn: 1, call_id: "c", tool: "bash", status: "ok", output },
  ...{ source: "run", duration_ms: 1 },
});

async function thread(world: World, id: string, events: readonly NewEvent[], more: object = {}) {
  if (id !== ID)
    await world.store.create({ threadId: id, events: [{ ...createdAs(id), ...more }], requests: [] });
  const lease = await world.claim("a", id);
  await world.store.commit(lease, { events: [started, ...events] });
}

function asking(text: string, how: "text" | "regex" = "text"): SearchAsk {
  const matcher = compileQuery({ text, how });
  if ("why" in matcher) throw new Error(matcher.why);
  return { matcher, about: [], context: 0, scope: {}, limit: 50 };
}

const places = async ({ store }: World, ask: SearchAsk) =>
  (await search(store, ask)).hits.map(({ thread_id, seq }) => `${thread_id} ${seq}`);

export function searchSuite(setUp: SetUp): void {
  beforeAll(loadPatterns);

  describe("search", () => {
    test("the newest thread first, and in it the last event; small, large, in any case", async () => {
      const world = await setUp();
      await thread(world, ID, [says("A Needle"), says("none"), answers(`${"x".repeat(200_000)}\nneedle`)]);
      await thread(world, OTHER, [calls({ command: 'echo "NEEDLE"' })]);
      const found = await search(world.store, asking("needle"));
      expect(found).toMatchObject({ next: null, threads: 2, events: 8, unread: 0, stopped: false });
      expect(found.hits).toMatchObject([
        { thread_id: OTHER, seq: 3, type: "tool_call_start", field: "input.command" },
        { thread_id: ID, seq: 5, type: "tool_call_result", snippet: "needle", spans: [[0, 6]], matches: 1 },
        { thread_id: ID, seq: 3, type: "cognition_out", snippet: "A Needle", turn: 1 },
      ]);
    });

    test("only what is meant: threads, chain, tree, kind, type, time", async () => {
      const world = await setUp();
      await thread(world, ID, [says("needle")]);
      world.tick(1_000);
      await thread(world, OTHER, [answers("needle")], { root_id: ID, parent_id: ID });
      await thread(world, THIRD, [says("needle")], { chain_root_id: OTHER });
      const ask = asking("needle");
      const [first, second, third] = [`${ID} 3`, `${OTHER} 3`, `${THIRD} 3`];
      expect(await places(world, ask)).toEqual([third, second, first]);
      expect(await places(world, { ...ask, scope: { rootId: ID } })).toEqual([second, first]);
      expect(await places(world, { ...ask, scope: { chainRootId: OTHER } })).toEqual([third, second]);
      expect(await places(world, { ...ask, scope: { threadIds: [ID, THIRD] } })).toEqual([third, first]);
      expect(await places(world, { ...ask, scope: { threadIds: [] } })).toEqual([]);
      expect(await places(world, { ...ask, about: ["tool"] })).toEqual([second]);
      expect(await places(world, { ...ask, about: ["cognition_out"] })).toEqual([third, first]);
      expect(await places(world, { ...ask, since: world.needs.now() })).toEqual([third, second]);
    });

    test("page by page nothing is missed and nothing told twice, and the last page says so", async () => {
      const world = await setUp();
      const many = Array.from({ length: 700 }, (_, at) => says(at % 7 === 0 ? `needle ${at}` : "none"));
      await thread(world, ID, many);
      await thread(world, OTHER, [says("needle"), says("needle")]);
      const all = await places(world, { ...asking("needle"), limit: 1_000 });
      expect(all).toHaveLength(102);
      const seen: string[] = [];
      let ask: SearchAsk = { ...asking("needle"), limit: 17 };
      for (;;) {
        const { hits, next } = await search(world.store, ask);
        seen.push(...hits.map(({ thread_id, seq }) => `${thread_id} ${seq}`));
        if (!next) break;
        expect(hits).toHaveLength(17);
        ask = { ...ask, before: next };
      }
      expect(seen).toEqual(all);
      // As many as asked for, and no more than these.
      expect(await search(world.store, { ...asking("needle"), limit: 102 })).toMatchObject({ next: null });
      expect((await search(world.store, { ...asking("needle"), limit: 101 })).next).not.toBeNull();
    });

    test("from a thread that is not meant it goes on with those before; from none, nowhere", async () => {
      const world = await setUp();
      await thread(world, ID, [says("needle")]);
      await thread(world, OTHER, [says("needle")]);
      const ask = { ...asking("needle"), scope: { threadIds: [ID] } };
      expect(await places(world, { ...ask, before: { thread_id: OTHER, seq: 9 } })).toEqual([`${ID} 3`]);
      expect(await places(world, { ...ask, before: { thread_id: "gone", seq: 9 } })).toEqual([]);
    });

    test("it ends where its caller has no room, or no more wish", async () => {
      const world = await setUp();
      await thread(world, ID, [says("needle 1"), says("needle 2"), says("needle 3")]);
      const found = await search(world.store, asking("needle"), { chars: 17 });
      expect(found.hits.map(({ seq }) => seq)).toEqual([5, 4]);
      expect(found.next).toEqual({ thread_id: ID, seq: 4 });
      expect(await search(world.store, asking("needle"), { chars: 1 })).toMatchObject({
        hits: [{ seq: 5 }],
        next: { seq: 5 },
      });
      const stopped = AbortSignal.abort();
      expect(await search(world.store, asking("needle"), { signal: stopped })).toMatchObject({
        ...{ hits: [], events: 0, stopped: true, next: null },
      });
    });

    naiveSuite(setUp);
  });
}

const SIGNS = [
  ..."aAbBkKsSzZ .,%_\\/\"'\n\t\u0001\u001b{}[]:",
  ..."ſ\u212aßẞéÉσςΣİıﬅﬆяЯ漢字ひ",
  ...["🙂", "🙃", "𐐀", "𐐨", "\ud83d", "\udc4b", "\\n", "\\u0001", "\u2028", "needle"],
];
const words = (most: number) =>
  fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: most }).map((signs) => signs.join(""));

/** Without a filter, without JSON: each text as it was given, character by character. */
function isIn(text: string, query: string): boolean {
  const [given, wanted] = [[...text], [...query]];
  return given.some((_, at) => wanted.every((sign, more) => isSame(given[at + more], sign)));
}

function isSame(left: string | undefined, right: string): boolean {
  if (left === undefined || left === right) return left === right;
  // Two signs are the same but for their case when they are one in upper or in lower case, sign by sign.
  const folded = (sign: string) => fold(fold(sign, "toUpperCase"), "toLowerCase");
  return folded(left) === folded(right) || FOLDED.some((pair) => pair.includes(left) && pair.includes(right));
}

function fold(sign: string, how: "toUpperCase" | "toLowerCase"): string {
  const other = sign[how]();
  return [...other].length === 1 && !"ıİ".includes(sign) ? other : sign;
}

/** Unicode folds these as well, though neither is the other's upper or lower case. */
const FOLDED = ["ßẞ", "ﬅﬆ"];

function naiveSuite(setUp: SetUp): void {
  test("what is found is what a naive look finds, whatever the signs", async () => {
    const texts = fc.sample(words(14), { numRuns: 300, seed: seed() });
    const world = await setUp();
    const events = texts.map((text, at) =>
      [says(text), answers(text), calls({ deep: [{ text }] })].at(at % 3),
    );
    await thread(
      world,
      ID,
      events.flatMap((event) => event ?? []),
    );
    const pieces = texts
      .flatMap((text) => [text.slice(0, 2), text.slice(1, 4)])
      .filter((text) => text !== "");
    const query = fc.oneof(words(3), fc.constantFrom(...pieces));
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(query, async (wanted) => {
        const found = await search(world.store, { ...asking(wanted), limit: 1_000 });
        const expected = texts.flatMap((text, at) => (isIn(text, wanted) ? [at + 3] : [])).reverse();
        expect(found.hits.map(({ seq }) => seq)).toEqual(expected);
        hits += expected.length;
      }),
      { numRuns: 300, seed: seed() },
    );
    expect(hits).toBeGreaterThan(300);
  });
}

/** Another one for each run; told by fast-check when it finds something. */
const seed = () => Math.trunc(Date.now() / 1000) % 1_000_000;
