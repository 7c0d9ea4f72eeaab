import { expect, test } from "vitest";
import type { Account } from "./entry.ts";
import { htmlPage } from "./html.ts";
import { markdownPage } from "./markdown.ts";

const HOSTILE = `</pre><script>x()</script>\n# heading\n"' onload=\``;
const account: Account = {
  ...{ threadId: "a<b>-1-x", directive: "<i>", model: "m", status: "completed" },
  ...{ from: "2026-01-01T00:00:00.000Z", until: "2026-01-01T00:00:01.000Z" },
  ...{ turns: 1, tokens: 1234, spend: null, damage: "<u>torn</u>" },
  entries: [
    { ts: "2026-01-01T00:00:00.000Z", turn: 1, word: "model", text: HOSTILE, tone: "plain" },
    {
      ...{ ts: "2026-01-01T00:00:00.000Z", turn: 1, word: "model", text: "", tone: "plain" },
      body: { kind: "said", text: HOSTILE },
    },
    {
      ...{ ts: "2026-01-01T00:00:00.000Z", turn: undefined, word: "tool", text: HOSTILE, tone: "bad" },
      body: { kind: "data", text: HOSTILE },
    },
  ],
};

test("whatever stands in a run, the page has our own tags alone", () => {
  const page = htmlPage(HOSTILE, [account], HOSTILE);
  const tags = new Set([...page.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, tag]) => tag));
  expect([...tags].sort()).toEqual(
    "!doctype b body dd details dl dt footer h1 head html li main meta ol p pre section span style summary time title"
      .split(" ")
      .sort(),
  );
  expect(page).not.toMatch(/ onload=`/);
  expect(page).toContain("—");
});

test("nothing in it is a heading of ours but the thread", () => {
  const page = markdownPage([account], "made");
  expect(page.split("\n").filter((line) => line.startsWith("#"))).toEqual(["# `a<b>-1-x`"]);
  expect(page).toContain("> # heading");
});
