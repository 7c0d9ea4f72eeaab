/** What the pages of docs/ show is what happens. */
import { expect, test } from "vitest";
import { Page } from "./page.ts";

/** Pages with examples, and how many commands they show at least: a page that lost its examples proves nothing. */
const PAGES: readonly (readonly [string, number])[] = [
  ["quickstart.md", 6],
  ["concepts.md", 3],
  ["directives.md", 5],
  ["limits.md", 6],
  ["budgets-and-rights.md", 6],
  ["recovery.md", 5],
  ["chat.md", 8],
];

test.each(PAGES)("docs/%s", (name, least) => {
  const page = new Page(name);
  expect(page.commands).toBeGreaterThanOrEqual(least);
  page.play();
});
