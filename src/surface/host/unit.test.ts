import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unitOf } from "./systemd.ts";
import { chatOfUnit, isUnitOf, type UnitAsk, unitNames, unitText } from "./unit.ts";

const ASK: UnitAsk = {
  version: "0.1.0",
  root: "/home/maya/task manager",
  program: ["/usr/bin/node", "/opt/50% off/cli.js"],
  scope: "user",
  user: "maya",
  envFile: "/home/maya/keys 100%.env",
  stateHome: "/home/maya/.local/state/selvage",
  environment: { PATH: '/usr/bin:/opt/$x "y"', BROKEN: "two\nlines" },
};

test("the unit of a user", () => {
  expect(
    unitText(ASK),
  ).toBe(`# Written by selvage service install (0.1.0); selvage service remove takes it away.
[Unit]
Description=Selvage threads of /home/maya/task manager
# Ten starts within five minutes are enough to see that it does not work.
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=notify
# The sign of life comes from systemd-notify, which the host starts.
NotifyAccess=all
WorkingDirectory=/home/maya/task manager
Environment="PATH=/usr/bin:/opt/$x \\"y\\""
EnvironmentFile=/home/maya/keys 100%%.env
ExecStart="/usr/bin/node" "/opt/50%% off/cli.js" "serve" "--recover" "auto" "--no-input" "-C" "/home/maya/task manager"
Restart=always
RestartSec=2
# Not for what only a person can mend: usage, no project, settings, trust.
RestartPreventExitStatus=2 5 7 9
SuccessExitStatus=130 143
WatchdogSec=30
TimeoutStopSec=15
# Managed processes outlive their host: the next one takes them on.
KillMode=process
ReadWritePaths="/home/maya/task manager" "/home/maya/.local/state/selvage"

[Install]
WantedBy=default.target
`);
});

test("the unit of the system runs as the user, with the system read-only", () => {
  const { envFile: _, ...rest } = ASK;
  const text = unitText({ ...rest, envFile: undefined, scope: "system" });
  expect(text).toContain("\nUser=maya\n");
  expect(text).toContain("\nProtectSystem=full\n");
  expect(text).toContain("\nAfter=network-online.target\n");
  expect(text).toContain("\nWantedBy=multi-user.target\n");
  expect(text).not.toContain("EnvironmentFile");
});

test.each([
  [undefined, '"serve" "--recover" "auto"'],
  [[], '"serve" "--chat" "--recover" "auto"'],
  [["slack", "second-one"], '"serve" "--chat" "slack" "second-one" "--recover" "auto"'],
])("the unit of a host with the chat bot on %j", (chat, command) => {
  const text = unitText({ ...ASK, chat });
  expect(text).toContain(`ExecStart="/usr/bin/node" "/opt/50%% off/cli.js" ${command} "--no-input" "-C" "`);
  expect(text).toContain("\nRestart=always\n");
  expect(text).toContain("\nEnvironmentFile=");
  expect(chatOfUnit(text)).toEqual(chat);
});

test("what stands in the path of a program is no flag of it", () => {
  const program = ["/usr/bin/node", '/opt/x" "serve" "--chat" "slack" "--recover" "/cli.js'];
  expect(chatOfUnit(unitText({ ...ASK, program }))).toBeUndefined();
});

test("a path with a line end is refused: it could say anything", () => {
  expect(() => unitText({ ...ASK, root: "/x\nExecStartPre=/bin/evil" })).toThrow(/cannot stand in a unit/);
});

test("its own unit is known by its folder, and a name that is taken by another project is not used", () => {
  expect(isUnitOf(unitText(ASK), ASK.root)).toBe(true);
  expect(isUnitOf(unitText(ASK), "/home/maya/task")).toBe(false);
  expect(isUnitOf(`[Service]\nWorkingDirectory=${ASK.root}`, ASK.root)).toBe(false);
  expect(unitNames(ASK.root).slice(0, 3)).toEqual([
    "selvage",
    "selvage-task-manager",
    "selvage-task-manager-2",
  ]);
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-unit-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("units are found where they are", () => {
  expect(unitOf(ASK.root, join(folder, "none"))).toMatchObject({ name: "selvage", isThere: false });
  writeFileSync(join(folder, "selvage.service"), unitText({ ...ASK, root: "/other" }));
  const mine = unitOf(ASK.root, folder);
  expect(mine).toMatchObject({ name: "selvage-task-manager", isThere: false });
  writeFileSync(mine.path, unitText(ASK));
  expect(unitOf(ASK.root, folder)).toEqual({ ...mine, isThere: true });
  expect(unitOf("/other", folder)).toMatchObject({ name: "selvage", isThere: true });
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.each(["user", "system"] as const)(
  "systemd reads a %s's unit with blanks, % and $ in its paths",
  (scope) => {
    if (!hasSystemd) return;
    const odd = join(folder, `${scope} a b %h $HOME 'q' "d"`);
    mkdirSync(odd);
    // It looks for the program, and so finds out whether it reads the path that we mean.
    const node = join(folder, `${scope} no de %h $HOME`);
    const envFile = join(odd, "keys %n.env");
    writeFileSync(node, "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(envFile, "");
    const path = join(folder, `odd-${scope}.service`);
    const program = [node, join(odd, "cli.js")];
    const verify = (text: string) => {
      writeFileSync(path, text);
      const args = ["verify", ...(scope === "user" ? ["--user"] : []), path];
      const env = { ...process.env, XDG_RUNTIME_DIR: folder };
      const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8", env });
      const said = `${stdout}${stderr}`
        .split("\n")
        .filter((line) => line.includes(path) || line.includes("odd-"));
      return { status, said };
    };
    const text = unitText({ ...ASK, scope, user: "root", root: odd, program, envFile });
    expect(verify(text)).toEqual({ status: 0, said: [] });
    expect(verify(text.replaceAll("%%", "%")).status).not.toBe(0);
    const quoted = unitText({ ...ASK, scope, user: "root", root: odd, program: [join(odd, "x")], envFile });
    expect(quoted).toContain('ExecStart="/usr/bin/env" "');
    expect(verify(quoted).status).toBe(0);
  },
);
