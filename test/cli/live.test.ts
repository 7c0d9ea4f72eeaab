/** `run` on a terminal: a few live lines at the bottom, one for each thread at work, and the money of the tree (UX a.6). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./cli.ts";
import { atWork, boss, endTools, slow, start } from "./family.ts";
import { TestTerminal } from "./terminal.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...slow("left"),
    ...slow("right"),
    ...boss("tree", `- says: two\n  calls:\n${start("left")}${start("right", ", wait: true")}- says: done\n`),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

test("who is at what and what is held is shown while it is so, and is gone at the end", async () => {
  const terminal = new TestTerminal(place, "selvage run tree; echo exit $? > code");
  await atWork(place, 2);
  await terminal.shows("● left-");
  await terminal.shows("● right-");
  // Spent, held for the two, the limit.
  await terminal.shows("+1.00r / 3.00");
  endTools(place);
  await terminal.ended;
  expect(terminal.file("code")).toBe("exit 0\n");
});

test("--accessible: nothing is drawn over, every change is a line", async () => {
  const terminal = new TestTerminal(place, "selvage run tree --accessible; echo exit $? > code");
  await atWork(place, 2);
  endTools(place);
  await terminal.ended;
  expect(terminal.file("code")).toBe("exit 0\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bytes with which a terminal is told to draw over a line
  expect(terminal.shown).not.toMatch(/\u001b\[[0-9;]*[A-HJKf]|\r(?!\n)/);
});
