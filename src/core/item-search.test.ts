import { expect, test } from "vitest";
import { byFit, type Candidate, holdsAny, scoreItem, wordsOf } from "./item-search.ts";

const item = (item_id: string, description = "", text = ""): Candidate => ({
  item_type: "knowledge",
  item_id,
  description,
  text,
});

const ranked = (query: string, ...items: Candidate[]) =>
  items
    .flatMap((each) => scoreItem(wordsOf(query), each) ?? [])
    .sort(byFit)
    .map(({ found }) => found.item_id);

test("more of the words come first, then the name, then the description, then the text, then the order of names", () => {
  const items = [
    item("z", "", "deploy"),
    item("b", "How to deploy"),
    item("a", "How to deploy"),
    item("team/deploy"),
    item("deployment"),
    item("c", "", "deploy the server"),
    item("other", "nothing", "at all"),
  ];
  expect(ranked("deploy server", ...items)).toEqual(["c", "team/deploy", "deployment", "a", "b", "z"]);
});

test("words are compared without case, each once, and no more than a dozen", () => {
  expect(wordsOf("  Deploy\tDEPLOY the\nServer ")).toEqual(["deploy", "the", "server"]);
  expect(wordsOf(Array.from({ length: 40 }, (_, at) => `w${at}`).join(" "))).toHaveLength(12);
  expect(wordsOf(" \n")).toEqual([]);
  expect(ranked("DEPLOY", item("Deploy"))).toEqual(["Deploy"]);
});

test("the line of the text is shown where nothing else tells why; without what a terminal would obey", () => {
  const text = `first\nhere is \u001b[31mthe server\u202e of ${"x".repeat(400)}\nlast`;
  const [found] = [scoreItem(["server"], item("a", "b", text))?.found];
  expect(found?.snippet).toMatch(/^here is the server of x+…$/);
  expect(found?.snippet?.length).toBeLessThanOrEqual(160);
  expect(scoreItem(["a"], item("a", "b", "a"))?.found).not.toHaveProperty("snippet");
  const lines = scoreItem(["a"], item("a", "one\ntwo\u0007"))?.found;
  expect(lines?.description).toBe("one two");
});

test("what holds none of the words is told before anything of it is read", () => {
  expect(holdsAny(["api"], "team/API", "")).toBe(true);
  expect(holdsAny(["api"], "x", "the Api")).toBe(true);
  expect(holdsAny(["api"], "x", "y")).toBe(false);
  expect(scoreItem(["api"], item("x", "y", "z"))).toBeUndefined();
});
