import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holdRoom } from "./chat-room.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-room-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const dead = new Set<string>();
const machine = (owner: string) => ({
  owner,
  ownerState: (other: string) => (dead.has(other) ? ("dead" as const) : ("alive" as const)),
});

test("one terminal at a time in a room; another room, and the next one after it, are free", () => {
  const leave = holdRoom(root, "terminal", machine("a"));
  expect(() => holdRoom(root, "terminal", machine("b"))).toThrow(/Somebody talks in the room terminal/);
  const other = holdRoom(root, "../other", machine("b"));
  leave();
  const next = holdRoom(root, "terminal", machine("b"));
  // Who has left takes nobody else's place away.
  leave();
  expect(() => holdRoom(root, "terminal", machine("c"))).toThrow();
  other();
  next();
});

test("one whose process is gone holds nothing", () => {
  holdRoom(root, "terminal", machine("gone"));
  dead.add("gone");
  const leave = holdRoom(root, "terminal", machine("b"));
  expect(() => holdRoom(root, "terminal", machine("c"))).toThrow();
  leave();
});
