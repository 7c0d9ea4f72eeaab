import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SystemdNotifier } from "./notify.ts";

let folder: string;
let path: string | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-notify-"));
  path = process.env["PATH"];
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true, force: true });
});

/** Writes down what it is told, and to whom it would go. */
function fakeNotify(script: string): void {
  const file = join(folder, "systemd-notify");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  process.env["PATH"] = `${folder}:${path}`;
}

const told = () => readFileSync(join(folder, "told"), "utf8").trimEnd().split("\n");

test("what is said reaches systemd in order; what changes meanwhile is said once, as it is then", async () => {
  fakeNotify(`echo "$NOTIFY_SOCKET: $*" >> ${folder}/told; sleep 0.2`);
  const environment = { NOTIFY_SOCKET: "@abstract", WATCHDOG_USEC: "30000000" };
  const failures: string[] = [];
  const notifier = new SystemdNotifier((why) => failures.push(why), environment);
  expect(notifier.watchdogMs).toBe(30_000);
  // What is started from here on does not speak in our name.
  expect(environment).toEqual({});
  notifier.tell({ READY: "1", STATUS: "two\nlines" });
  notifier.tell({ STATUS: "one" });
  notifier.tell({ STATUS: "two", WATCHDOG: "1" });
  await notifier.settled();
  expect(told()).toEqual(["@abstract: READY=1 STATUS=two lines", "@abstract: STATUS=two WATCHDOG=1"]);
  expect(failures).toEqual([]);
});

test("who cannot be told is not told, and that is said once", async () => {
  fakeNotify("exit 1");
  const failures: string[] = [];
  const notifier = new SystemdNotifier((why) => failures.push(why), { NOTIFY_SOCKET: "/run/x" });
  for (let time = 0; time < 3; time += 1) {
    notifier.tell({ WATCHDOG: "1" });
    await notifier.settled();
  }
  expect(failures).toEqual(["it ended with 1"]);
});

test.each([
  [{}, false, undefined],
  [{ NOTIFY_SOCKET: "/run/x" }, true, undefined],
  [{ NOTIFY_SOCKET: "/run/x", WATCHDOG_USEC: "1000000", WATCHDOG_PID: "1" }, true, undefined],
  [{ NOTIFY_SOCKET: "/run/x", WATCHDOG_USEC: "1000000", WATCHDOG_PID: String(process.pid) }, true, 1_000],
  [{ WATCHDOG_USEC: "1000000" }, false, undefined],
  [{ NOTIFY_SOCKET: "/run/x", WATCHDOG_USEC: "soon" }, true, undefined],
])("%j", (environment: NodeJS.ProcessEnv, isOn, watchdogMs) => {
  const notifier = new SystemdNotifier(() => {}, environment);
  expect({ isOn: notifier.isOn, watchdogMs: notifier.watchdogMs }).toEqual({ isOn, watchdogMs });
});
