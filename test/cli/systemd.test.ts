// The host as a service of systemd, whose commands are played by scripts that write down what they were asked.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted, until } from "./cli.ts";

let place: Place;
beforeEach(async () => {
  place = new Place(scripted("hello", "- says: hello there\n"));
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

/** Found before the real ones. */
function fake(name: string, script: string): void {
  const bin = join(place.folder, "bin");
  mkdirSync(bin, { recursive: true });
  const file = join(bin, name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> '${place.folder}/asked'\n${script}\n`);
  chmodSync(file, 0o755);
  place.env["PATH"] = `${bin}:${process.env["PATH"]}`;
}

const asked = () => {
  const file = join(place.folder, "asked");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
};
const unitPath = () => join(place.folder, ".config/systemd/user/selvage.service");

const SHOWN = `case "$*" in *ActiveState*)
echo ActiveState=active; echo SubState=running; echo "ActiveEnterTimestamp=Sun 2026-11-15 10:02:11 UTC"
echo NRestarts=2; echo Result=success; echo ExecMainCode=2; echo ExecMainStatus=9; echo MainPID=4312; echo StatusText=x;;
esac`;

test("install shows the unit, then writes, enables and starts it; remove takes all of it back", async () => {
  fake("systemctl", SHOWN);
  const keys = join(place.folder, "keys.env");
  writeFileSync(keys, "ANTHROPIC_API_KEY=x\n", { mode: 0o644 });
  const dry = await place.json("service", "install", "--dry-run", "--env-file", keys);
  expect(dry).toMatchObject({
    exit: 0,
    data: { unit: "selvage.service", path: unitPath(), installed: false },
  });
  expect(dry.warnings[0]).toContain("can be read by others");
  expect(asked()).toEqual([]);
  const { code, stdout } = await place.run(["service", "install", "--env-file", keys]);
  expect(code).toBe(0);
  const unit = readFileSync(unitPath(), "utf8");
  expect(unit).toBe(dry.data.text);
  expect(stdout).toContain(unit);
  expect(unit).toContain(`WorkingDirectory=${place.root}\n`);
  expect(unit).toContain(`EnvironmentFile=${keys}\n`);
  expect(unit).toContain(`"serve" "--recover" "auto" "--no-input" "-C" "${place.root}"\n`);
  expect(unit).not.toContain("ANTHROPIC");
  expect(asked()).toEqual([
    "systemctl --user show --property=Version",
    "systemctl --user daemon-reload",
    "systemctl --user enable --now selvage.service",
  ]);
  expect(await place.json("service", "status")).toMatchObject({
    exit: 0,
    data: {
      ...{ unit: "selvage.service", active: true, since: "2026-11-15T10:02:11.000Z", restarts: 2, pid: 4312 },
      ...{ last_exit: "signal 9", counts: {}, spend_today: "0.0000" },
    },
  });
  expect((await place.run(["service", "status"])).stdout).toMatch(
    /^✓ selvage\.service active for .* · pid 4312\n {2}2 restarts · last end: signal 9\n {2}0 running, \$0\.00 today\n$/,
  );
  rmSync(join(place.folder, "asked"));
  const removed = await place.json("service", "remove");
  expect(removed).toMatchObject({ exit: 0, data: { removed: true } });
  expect(existsSync(unitPath())).toBe(false);
  expect(asked()).toEqual([
    "systemctl --user disable --now selvage.service",
    "systemctl --user daemon-reload",
  ]);
  expect(await place.json("service", "remove")).toMatchObject({ exit: 0, data: { removed: false } });
  expect(await place.json("service", "status")).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
});

test("with the chat bot: on which platforms is in the unit, its tokens are not, and who asks is told", async () => {
  fake("systemctl", SHOWN);
  const users = join(place.folder, ".config/selvage");
  mkdirSync(users, { recursive: true });
  const platforms =
    "platforms: { slack: { env: { botToken: SLACK_BOT_TOKEN } }, second: { adapter: slack } }\n";
  writeFileSync(join(users, "chat.yaml"), platforms);
  const tokens = join(place.folder, "tokens.env");
  writeFileSync(tokens, "SLACK_BOT_TOKEN=xoxb-1\n", { mode: 0o600 });
  const missing = await place.json("service", "install", "--chat", "slak", "--dry-run");
  expect(missing).toMatchObject({ exit: 7, error: { code: "E_CHAT_PLATFORM" } });
  const bare = await place.json("service", "install", "--chat", "--dry-run");
  expect(bare.warnings[0]).toContain("--env-file FILE");
  expect(bare.data.text).toContain('"serve" "--chat" "--recover" "auto"');
  const dry = await place.json(
    "service",
    "install",
    "--chat",
    "slack,second",
    "--dry-run",
    "--env-file",
    tokens,
  );
  expect(dry).toMatchObject({ exit: 0, warnings: [], data: { chat: ["slack", "second"] } });
  place.write({ "tokens.env": "SLACK_BOT_TOKEN=xoxb-1\n" });
  const inside = join(place.root, "tokens.env");
  const warned = await place.json("service", "install", "--dry-run", "--env-file", inside);
  expect(warned.warnings.join("\n")).toContain("is in the project");
  const { code } = await place.run(["service", "install", "--chat", "slack", "second", "--env-file", tokens]);
  expect(code).toBe(0);
  const unit = readFileSync(unitPath(), "utf8");
  expect(unit).toBe(dry.data.text);
  expect(unit).toContain('"serve" "--chat" "slack" "second" "--recover" "auto"');
  expect(unit).toContain("\nRestart=always\n");
  expect(unit).toContain(`\nEnvironmentFile=${tokens}\n`);
  expect(unit).not.toContain("xoxb");
  expect((await place.json("service", "status")).data).toMatchObject({ chat: ["slack", "second"] });
  expect(await place.ok("service", "status")).toMatch(/\n {2}chat: slack second\n$/);
});

test("logs are journalctl's, without control bytes and as records", async () => {
  fake("systemctl", "");
  fake("journalctl", "printf 'one\\n\\033[31mtwo\\n'");
  await place.ok("service", "install");
  expect((await place.run(["service", "logs", "-n", "7", "-f"])).stdout).toBe("one\ntwo\n");
  expect(asked().at(-1)).toBe("journalctl --user -u selvage.service -o cat -n 7 --no-pager -f");
  const { stdout } = await place.run(["service", "logs", "--jsonl"]);
  expect(JSON.parse(stdout.split("\n")[0] ?? "")).toEqual({ kind: "service.line", line: "one" });
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    kind: "service.logs",
    ok: true,
  });
});

test("without systemd: the unit is shown, nothing is written, and what can be done is said", async () => {
  fake("systemctl", "echo 'Failed to connect to bus: No medium found' >&2; exit 1");
  const { code, stdout, stderr } = await place.run(["service", "install"]);
  expect(code).toBe(1);
  expect(stdout).toContain("[Service]\nType=notify\n");
  expect(stderr).toContain("Failed to connect to bus");
  expect(stderr).toContain("E_NO_SYSTEMD");
  expect(existsSync(unitPath())).toBe(false);
});

test.each([
  [["service"], "E_USAGE"],
  [["service", "instal"], "E_USAGE"],
  [["service", "install", "--user", "--system"], "E_USAGE"],
])("%j is a usage error", async (args, code) => {
  expect(await place.json(...args)).toMatchObject({ exit: 2, error: { code } });
});

test("a file of variables that is not there is named, and nothing is written", async () => {
  // Some versions of Node look for a file of this flag themselves, and are faster.
  const { code, stderr } = await place.run(["service", "install", "--env-file", "none.env"]);
  expect([2, 9]).toContain(code);
  expect(stderr).toContain("none.env");
  expect(existsSync(unitPath())).toBe(false);
});

test("systemd is told when it is ready, that it lives, how it is, and that it stops", async () => {
  fake("systemd-notify", `echo "to $NOTIFY_SOCKET" >> '${place.folder}/asked'`);
  const serve = place.start(["serve"], { NOTIFY_SOCKET: "@here", WATCHDOG_USEC: "300000" });
  await until(() => asked().includes("systemd-notify WATCHDOG=1"));
  expect(asked()[0]).toMatch(/^systemd-notify READY=1 STATUS=0 running, \$0\.00 today$/);
  expect(asked()[1]).toBe("to @here");
  serve.child.kill("SIGTERM");
  expect((await serve.ended).code).toBe(143);
  expect(asked().some((line) => line.includes("STOPPING=1"))).toBe(true);
});
