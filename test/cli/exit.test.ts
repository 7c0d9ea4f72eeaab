// Every way a thread can end, and the exit code that goes with it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checked, Place, QUICK_RETRIES, scripted, until } from "./cli.ts";

const SLOW = `- says: starting
  calls: [{ tool: bash, input: { command: "echo began >> began; sleep 20" } }]
- says: done
`;

let place: Place;
beforeEach(async () => {
  place = new Place({ ...QUICK_RETRIES, ...scripted("slow", SLOW) });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const began = () => until(() => existsSync(join(place.root, "began")));

test("completed 0, error 1, suspended 3", async () => {
  place.write({
    ...scripted("fine", "- fails: { status: 503, message: busy }\n- says: fine\n"),
    ...scripted("bad", "- fails: { status: 400, message: no such thing }\n"),
    ...scripted("down", "- fails: { status: 503, message: overloaded }\n"),
  });
  const fine = await place.run(["run", "fine"]);
  expect(fine).toMatchObject({ code: 0, stdout: "fine\n" });
  expect(fine.stderr).toContain("Retrying (1/1) in 0s…");
  expect(await place.json("run", "bad")).toMatchObject({
    exit: 1,
    kind: "thread.result",
    data: { status: "error", error: { message: "no such thing" } },
  });
  const down = await place.run(["run", "down"]);
  expect(down.code).toBe(3);
  expect(down.stdout).toBe("");
  expect(down.stderr).toMatch(
    /needs you \(error\).*overloaded[\s\S]*selvage approve ap_[\s\S]*E_RETRIES_USED/,
  );
  expect((await place.json("ps")).data.threads).toMatchObject([
    { status: "suspended", suspend_reason: "error" },
  ]);
});

test("a time-out stops hosting with 8 and the thread stays recoverable", async () => {
  const run = await place.json("run", "slow", "--timeout", "0.6");
  expect(run).toMatchObject({ exit: 8, data: { status: "running" } });
  expect((await place.json("ps")).data.threads).toMatchObject([{ view: "orphaned" }]);
  expect(await place.json("recover", "--all")).toMatchObject({
    exit: 0,
    data: { recovered: [run.data.thread_id] },
  });
  expect((await place.json("show", "@last")).data).toMatchObject({
    status: "completed",
    result: { text: "done" },
  });
});

test("cancel reaches the process that hosts the thread: exit 4 there, 0 here", async () => {
  const run = place.start(["run", "slow", "--json"]);
  await began();
  const cancel = await place.json("cancel", "slow", "--reason", "wrong plan");
  expect(cancel.data).toMatchObject({ cancelled: [expect.stringMatching(/^slow-/)], waiting_on: [] });
  expect(checked(await run.ended)).toMatchObject({ exit: 4, data: { status: "cancelled" } });
  expect(await place.json("cancel", "@last")).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
});

test("cancel without a host is applied here; a file in the inbox too", async () => {
  place.write(scripted("down", "- fails: { status: 503, message: overloaded }\n"));
  const first = (await place.json("run", "down")).data.thread_id;
  expect((await place.json("cancel", first)).data.cancelled).toEqual([first]);
  const second = (await place.json("run", "down")).data.thread_id;
  const { nonce } = JSON.parse(readFileSync(join(place.root, `.ai/threads/${second}/thread.json`), "utf8"));
  writeFileSync(
    join(place.root, `.ai/threads/${second}/cancel.requested`),
    JSON.stringify({ nonce, reason: "by file" }),
  );
  await place.json("recover", "--all");
  expect((await place.json("show", second)).data).toMatchObject({ status: "cancelled" });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s stops where nothing is lost and says how to go on (exit %i)", async (signal, exit) => {
  const run = place.start(["run", "slow", "--jsonl"]);
  await began();
  run.child.kill(signal);
  const { code, stdout, stderr } = await run.ended;
  expect(code).toBe(exit);
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records.filter((record) => "kind" in record)).toHaveLength(1);
  expect(records.at(-1)).toMatchObject({
    kind: "thread.result",
    ok: false,
    exit,
    data: { status: "running" },
  });
  expect(records[0]).toMatchObject({ seq: 1, type: "thread_created" });
  expect(stderr).not.toContain("E_INTERNAL");
  expect((await place.json("ps")).data.threads).toMatchObject([{ view: "orphaned" }]);
  // Its next request is held and was never sent: the plan does not call it cut off, and it is not charged.
  const { stdout: plan } = await place.run(["recover", "--scan"]);
  expect(plan).toMatch(/\$\d[\d.]* is held for its next request/);
  expect(plan).not.toContain("cut off");
});

test("a second signal ends the process at once, with one final record", async () => {
  place.write(
    scripted(
      "stubborn",
      `- says: x\n  calls: [{ tool: bash, input: { command: "trap 'echo t >> told' TERM; echo b >> began; sleep 20; sleep 20" } }]\n`,
    ),
  );
  const run = place.start(["run", "stubborn", "--jsonl"]);
  await began();
  run.child.kill("SIGINT");
  await until(() => existsSync(join(place.root, "told")));
  const pressed = Date.now();
  run.child.kill("SIGINT");
  const exited = await new Promise((resolve) => run.child.once("exit", resolve));
  expect(exited).toBe(130);
  expect(Date.now() - pressed).toBeLessThan(2_000);
});

test("a reader that goes away ends it quietly", async () => {
  await place.ok("init", "--force");
  await place.ok("run", "hello");
  const shell = (command: string) =>
    spawnSync("bash", ["-c", `set -o pipefail; ${command}`], {
      cwd: place.root,
      env: { ...place.env, CLI: join(import.meta.dirname, "../../dist/cli.js"), NODE: process.execPath },
      encoding: "utf8",
    });
  const logs = shell(
    'for i in 1 2 3; do "$NODE" "$CLI" logs @last --raw | head -n 1 >/dev/null || exit 1; done',
  );
  expect(logs).toMatchObject({ status: 0, stderr: "" });
  const run = shell('"$NODE" "$CLI" run hello --jsonl | head -n 1');
  expect(run.stdout.split("\n")).toHaveLength(2);
  expect(run.stderr).not.toMatch(/EPIPE|E_INTERNAL/);
});
