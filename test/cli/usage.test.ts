// What is not understood, and what is asked about the tool itself.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "../../src/core/problem.ts";
import { Place } from "./cli.ts";

let place: Place;
beforeAll(async () => {
  place = new Place();
  await place.ok("init");
});
afterAll(() => place.remove());

test.each([
  [["pss"], "Did you mean ps?"],
  [["ps", "--alll"], "--all"],
  [["--jsn", "ps"], "--json"],
  [["run"], "Nothing was done."],
  [["ps", "-n", "none"], "Nothing was done."],
  [["status", "extra"], "Nothing was done."],
  [["ps", "-s", "runing"], "Did you mean running?"],
  [["help", "nothing"], "exit-codes"],
  [["export", "@last"], "--files"],
  [["recover", "--mark-error", "--mark-cancelled"], "both"],
])("selvage %j is a usage error with a way on", async (args, why) => {
  const { exit, error } = await place.json(...args);
  expect(exit).toBe(2);
  expect(error?.code).toBe("E_USAGE");
  expect(error?.why).toContain(why);
  expect(error?.next.length).toBeGreaterThan(0);
});

test("an error code that there is not is not found, and the closest is named", async () => {
  const { exit, error } = await place.json("explain", "E_LOKED");
  expect({ exit, code: error?.code }).toEqual({ exit: 5, code: "E_CODE_UNKNOWN" });
  expect(error?.why).toContain("E_LOCKED");
  expect(error?.next[0]?.cmd).toBe("selvage explain E_LOCKED");
});

test("an error reads as what, why, next, code; a stack only with -v", async () => {
  const plain = await place.run(["show", "nothing"]);
  expect(plain.code).toBe(5);
  expect(plain.stdout).toBe("");
  expect(plain.stderr).toMatch(
    /^✗ There is no thread nothing\.\n {2}why {3}.+\n {2}next {2}selvage ps -a .+\n {2}E_THREAD_NOT_FOUND · selvage explain E_THREAD_NOT_FOUND\n$/,
  );
  const verbose = await place.run(["show", "nothing", "-v"]);
  expect(verbose.stderr).toMatch(/\n +at /);
});

test("--jsonl ends with one error record as well", async () => {
  const { code, stdout } = await place.run(["logs", "nothing", "--jsonl"]);
  expect(code).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject({ kind: "error", ok: false, exit: 5 });
});

describe("ids", () => {
  test.each([
    ["show", "../../etc/passwd"],
    ["logs", ".hidden"],
    ["cancel", "a/../b"],
    ["recover", "a\u001b[31m"],
    ["export", "/abs"],
  ])("%s refuses %j at the door", async (verb, id) => {
    const { exit, error } = await place.json(verb, id, ...(verb === "export" ? ["--files"] : []));
    expect({ exit, code: error?.code }).toEqual({ exit: 2, code: "E_BAD_ID" });
    expect(error?.what).not.toContain("\u001b");
  });

  test("a leading dash is a flag, or no id after --", async () => {
    expect((await place.json("show", "-x")).error?.code).toBe("E_USAGE");
    const { code, stderr } = await place.run(["show", "--", "-x"]);
    expect(code).toBe(2);
    expect(stderr).toContain("E_BAD_ID");
  });

  test("@last without a thread, and a name nobody has", async () => {
    expect(await place.json("show", "@last")).toMatchObject({
      exit: 5,
      error: { code: "E_THREAD_NOT_FOUND" },
    });
    expect(await place.json("show", "hello")).toMatchObject({
      exit: 5,
      error: { code: "E_THREAD_NOT_FOUND" },
    });
  });
});

test("outside a project: what it is, and E_NO_PROJECT for everything that needs one", async () => {
  const outside = new Place();
  try {
    expect(await outside.ok()).toContain("selvage init");
    for (const args of [["ps"], ["run", "x"], ["verify"], ["recover"], ["trust"]]) {
      expect(await outside.json(...args)).toMatchObject({ exit: 5, error: { code: "E_NO_PROJECT" } });
    }
    expect((await place.json("-C", "/nonexistent", "status")).exit).toBe(5);
  } finally {
    outside.remove();
  }
});

test("every code has a page", async () => {
  expect((await place.json("explain")).data.codes.map(({ code }: { code: string }) => code)).toEqual(
    Object.keys(PAGES),
  );
  const page = await place.json("explain", "e_locked");
  expect(page.data).toMatchObject({ code: "E_LOCKED", exit: 6 });
  expect(page.data.steps.length).toBeGreaterThan(0);
});

test("help and version, for people and for programs", async () => {
  expect(await place.ok("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await place.json("--version")).data.version).toMatch(/^\d/);
  expect(await place.ok("--help")).toContain("recover");
  expect(await place.ok("run", "--help")).toContain("--timeout");
  expect(await place.ok("help", "run")).toContain("--timeout");
  expect((await place.json("--help")).data.text).toContain("Usage: selvage");
  expect(await place.ok("help", "exit-codes")).toMatch(/^3 +needs-you/m);
});
