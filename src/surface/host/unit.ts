/** The systemd unit of a host, as text. Paths may hold anything but line ends; every place has its own way to quote. */
import { Problem } from "../../core/problem.ts";

export interface UnitAsk {
  readonly version: string;
  readonly root: string;
  /** What starts `selvage`: absolute paths. */
  readonly program: readonly string[];
  readonly scope: "user" | "system";
  /** Whose threads they are; for a unit of the system. */
  readonly user: string;
  readonly envFile: string | undefined;
  /** Platforms of its chat bot; none of them: all that chat.yaml names. Undefined: it has no bot. */
  readonly chat?: readonly string[] | undefined;
  /** Where the trust record and the operator's token are. */
  readonly stateHome: string;
  /** Told to the host as they are here: what a tool calls has to be found there too. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The first line; by it, and by the folder, our own units are known. */
const UNIT_MARK = "# Written by selvage service install";

export function unitText(ask: UnitAsk): string {
  for (const text of [ask.root, ask.envFile ?? "", ask.stateHome, ...ask.program]) requireOneLine(text);
  const chat = ask.chat === undefined ? [] : ["--chat", ...ask.chat];
  const command = [...ask.program, "serve", ...chat, "--recover", "auto", "--no-input", "-C", ask.root];
  const environment = Object.entries(ask.environment).filter(([, value]) => !/[\r\n]/.test(value));
  return `${[
    `${UNIT_MARK} (${ask.version}); selvage service remove takes it away.`,
    "[Unit]",
    `Description=Selvage threads of ${specifiers(ask.root)}`,
    ...(ask.scope === "system" ? ["Wants=network-online.target", "After=network-online.target"] : []),
    "# Ten starts within five minutes are enough to see that it does not work.",
    "StartLimitIntervalSec=300",
    "StartLimitBurst=10",
    "",
    "[Service]",
    "Type=notify",
    "# The sign of life comes from systemd-notify, which the host starts.",
    "NotifyAccess=all",
    ...(ask.scope === "system" ? [`User=${specifiers(ask.user)}`] : []),
    `WorkingDirectory=${specifiers(ask.root)}`,
    ...environment.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    ...(ask.envFile === undefined ? [] : [`EnvironmentFile=${specifiers(ask.envFile)}`]),
    `ExecStart=${commandLine(command)}`,
    "Restart=always",
    "RestartSec=2",
    "# Not for what only a person can mend: usage, no project, settings, trust.",
    "RestartPreventExitStatus=2 5 7 9",
    "SuccessExitStatus=130 143",
    "WatchdogSec=30",
    "TimeoutStopSec=15",
    "# Managed processes outlive their host: the next one takes them on.",
    "KillMode=process",
    ...(ask.scope === "system" ? ["ProtectSystem=full"] : []),
    `ReadWritePaths=${[ask.root, ask.stateHome].map((path) => quoted(path)).join(" ")}`,
    "",
    "[Install]",
    `WantedBy=${ask.scope === "system" ? "multi-user.target" : "default.target"}`,
  ].join("\n")}\n`;
}

/** The platforms of a unit's bot; undefined: it has none. */
export function chatOfUnit(text: string): readonly string[] | undefined {
  const [, names] = /^ExecStart=.* "serve" "--chat"((?: "[a-z0-9._-]+")*) "--recover" /m.exec(text) ?? [];
  return names?.split(" ").flatMap((word) => (word === "" ? [] : word.slice(1, -1)));
}

/** Whether a unit is ours, and for this project. */
export function isUnitOf(text: string, root: string): boolean {
  return text.startsWith(UNIT_MARK) && text.split("\n").includes(`WorkingDirectory=${specifiers(root)}`);
}

/** `selvage`, or where that is taken by another project, with the name of the folder. */
export function unitNames(root: string): readonly string[] {
  const folder = (root.split("/").at(-1) ?? "")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, 40);
  const named = `selvage-${folder || "project"}`;
  return ["selvage", named, ...Array.from({ length: 20 }, (_, index) => `${named}-${index + 2}`)];
}

/** Variables are put into every word but the first, which may not hold quotes, however they are written. */
function commandLine(command: readonly string[]): string {
  const isPlain = !/["'\\]/.test(command[0] ?? "");
  const [program = "", ...args] = isPlain ? command : ["/usr/bin/env", ...command];
  return [quoted(program), ...args.map((word) => quoted(word).replaceAll("$", "$$$$"))].join(" ");
}

/** `%` begins a specifier everywhere in a unit. */
function specifiers(text: string): string {
  return text.replaceAll("%", "%%");
}

function quoted(text: string): string {
  return `"${specifiers(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function requireOneLine(text: string): void {
  if (!/[\r\n\0]/.test(text)) return;
  throw new Problem("E_USAGE", {
    what: `${JSON.stringify(text)} cannot stand in a unit of systemd.`,
    why: "A path in it ends at the end of its line. Nothing was written.",
    next: [{ cmd: "selvage service install --help", why: "what is needed" }],
  });
}
