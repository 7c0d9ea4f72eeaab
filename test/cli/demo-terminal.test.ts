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

const tmp = () => join(place.folder, "tmp");
const demo = (args: string) =>
  new TestTerminal(place, `TMPDIR='${tmp()}' NO_COLOR=1 selvage demo --fast --step ${args}`);

/** Up to the question. */
async function asked(): Promise<TestTerminal> {
  const terminal = demo("--no-crash");
  await terminal.shows("press a key: the answer");
  terminal.press(" ");
  await terminal.shows("[a]pprove  [e]dit amount  [d]eny");
  return terminal;
}

test("an amount of their own counts", async () => {
  const terminal = await asked();
  terminal.press("e");
  await terminal.shows("new limit, more than $0.80: $");
  terminal.press("1.20\r");
  await terminal.shows("limit now $1.20");
  await terminal.shows("$2.58 of $3.00");
  expect(await terminal.ended).toBe(0);
  expect(readdirSync(tmp())).toEqual([]);
});

test("too little is told, and the question stands", async () => {
  const terminal = await asked();
  terminal.press("e");
  await terminal.shows("new limit, more than $0.80: $");
  terminal.press("0.10\r");
  await terminal.shows("that is no amount above $0.80");
  terminal.press("a");
  await terminal.shows("limit now $1.60");
  expect(await terminal.ended).toBe(0);
});

test("a no ends that thread, and the tree goes on without it", async () => {
  const terminal = await asked();
  terminal.press("d");
  await terminal.shows("⊘ plan_react_ui");
  await terminal.shows("✓ build_crud_app");
  expect(await terminal.ended).toBe(0);
});

test("nobody who answers is a yes, and told to be one of the demo alone", async () => {
  const terminal = await asked();
  await terminal.shows("nobody answered: yes (in the demo only; elsewhere a question waits)");
  expect(await terminal.ended).toBe(0);
});

test("--step waits for a key before each act; Ctrl-C there ends it all", async () => {
  const terminal = demo("");
  await terminal.shows("press a key: kill -9");
  terminal.press(" ");
  await terminal.shows("press a key: selvage recover --all");
  terminal.press("\u0003");
  expect(await terminal.ended).toBe(130);
  expect(readdirSync(tmp())).toEqual([]);
});
