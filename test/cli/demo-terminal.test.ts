// The demo in front of somebody: they may say yes, no, or how much.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./cli.ts";
import { TestTerminal } from "./terminal.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
  mkdirSync(join(place.folder, "tmp"));
});
afterEach(() => place.remove());

const demo = (args: string) =>
  new TestTerminal(place, `TMPDIR='${join(place.folder, "tmp")}' selvage demo --no-crash ${args}`);
const QUESTION = "[a]pprove  [e]dit amount  [d]eny";

test("an amount of their own counts, and too little of it is asked about again", async () => {
  const terminal = demo("");
  await terminal.shows(QUESTION);
  terminal.press("e");
  await terminal.shows("new limit, more than $0.80: $");
  terminal.press("0.10\n");
  await terminal.shows("that is no amount above $0.80");
  terminal.press("e");
  await terminal.shows("more than $0.80: $0.10");
  terminal.press("1.20\n");
  await terminal.shows("limit now $1.20");
  expect(await terminal.ended).toBe(0);
  expect(readdirSync(join(place.folder, "tmp"))).toEqual([]);
});

test("a no ends that thread, and the tree goes on without it", async () => {
  const terminal = demo("");
  await terminal.shows(QUESTION);
  terminal.press("d");
  await terminal.shows("⊘ plan_react_ui");
  await terminal.shows("✓ build_crud_app");
  expect(await terminal.ended).toBe(0);
});

test("--step waits for a key before each act; Ctrl-C there ends it all", async () => {
  const terminal = new TestTerminal(place, `TMPDIR='${join(place.folder, "tmp")}' selvage demo --step`);
  await terminal.shows("press a key: kill -9");
  terminal.press(" ");
  await terminal.shows("press a key: selvage recover --all");
  terminal.press("\u0003");
  expect(await terminal.ended).toBe(130);
  expect(readdirSync(join(place.folder, "tmp"))).toEqual([]);
});
