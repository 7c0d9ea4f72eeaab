import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isOurSocket, readAddress, removeAddress, writeAddress } from "./address.ts";
import { askHost } from "./client.ts";
import { type Door, openDoor } from "./door.ts";

let folder: string;
let door: Door | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-door-"));
});
afterEach(async () => {
  await door?.close();
  door = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const commands = { ping: async () => ({ pong: true }), never: () => new Promise(() => {}) };

test("one asks and is answered; nobody but the user may come in; the file goes with the host", async () => {
  door = await openDoor(folder, commands);
  const path = door?.path ?? "";
  expect(path).toBe(join(folder, "serve.sock"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await askHost(path, { type: "ping" })).toMatchObject({ success: true, data: { pong: true } });
  await door?.close();
  expect(existsSync(path)).toBe(false);
  expect(await askHost(path, { type: "ping" })).toBeUndefined();
});

test.runIf(process.getuid?.() === 0)("another user is not let in", async () => {
  chmodSync(folder, 0o755);
  door = await openDoor(folder, commands);
  const code = `require("node:net").connect(${JSON.stringify(door?.path)})
    .on("error", (error) => console.log(error.code)).on("connect", () => process.exit(7))`;
  const knock = spawnSync(process.execPath, ["-e", code], {
    uid: 65_534,
    gid: 65_534,
    encoding: "utf8",
    cwd: "/",
  });
  expect(knock.stdout).toBe("EACCES\n");
});

test("a socket that a killed host left behind is replaced; anything else is left alone", async () => {
  const path = join(folder, "serve.sock");
  const dead = createServer().listen(path);
  await new Promise((resolve) => dead.once("listening", resolve));
  // As a kill leaves it: nobody listens, the name stays.
  dead.unref();
  door = await openDoor(folder, commands);
  expect(door?.path).toBe(path);
  expect(await askHost(path, { type: "ping" })).toMatchObject({ success: true });
  await door?.close();
  dead.close();
  writeFileSync(path, "mine");
  door = await openDoor(folder, commands);
  expect(door?.path).not.toBe(path);
  expect(statSync(path).isFile()).toBe(true);
});

test("a path that is too long for a socket: a short one, in a folder that is ours alone", async () => {
  const deep = join(folder, "x".repeat(90));
  mkdirSync(deep);
  door = await openDoor(deep, commands);
  const path = door?.path ?? "";
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(await askHost(path, { type: "ping" })).toMatchObject({ success: true });
  await door?.close();
  expect(existsSync(dirname(path))).toBe(false);
});

test("nobody waits for ever: a host that does not answer, and one that is none", async () => {
  door = await openDoor(folder, commands);
  expect(await askHost(door?.path ?? "", { type: "never" }, 100)).toBeUndefined();
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(isOurSocket(file)).toBe(false);
  expect(await askHost(file, { type: "ping" })).toBeUndefined();
});

test("the address is believed only if a host could have written it", () => {
  mkdirSync(join(folder, ".ai/threads"), { recursive: true });
  const said = { owner: "me", socket: "/s", since: "2026-11-15T10:00:00.000Z", version: "1" };
  expect(readAddress(folder)).toBeUndefined();
  expect(writeAddress(folder, said)).toBe(true);
  expect(readAddress(folder)).toEqual(said);
  const path = join(folder, ".ai/threads/serve.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  removeAddress(folder, "another");
  expect(readAddress(folder)).toEqual(said);
  for (const text of ["", "{}", "[]", JSON.stringify({ ...said, socket: 1 }), " ".repeat(5_000)]) {
    writeFileSync(path, text);
    expect(readAddress(folder)).toBeUndefined();
  }
  writeAddress(folder, said);
  removeAddress(folder, "me");
  expect(existsSync(path)).toBe(false);
  rmSync(join(folder, ".ai/threads"), { recursive: true });
  expect(writeAddress(folder, said)).toBe(false);
});
