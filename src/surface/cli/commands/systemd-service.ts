/** `selvage service`: the host of a project as a service of systemd. */
import { accessSync, constants, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { requirePlatforms } from "../../../core/chat-choice.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { oneLine, stripControls } from "../../../core/text.ts";
import {
  journalctl,
  removeUnit,
  systemctl,
  type Unit,
  type UnitScope,
  unitFolder,
  unitOf,
  writeUnit,
} from "../../host/systemd.ts";
import { unitText } from "../../host/unit.ts";
import type { Answer } from "../answer.ts";
import { platformNames } from "../chat-platforms-asked.ts";
import { parseCount } from "../number.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import { serviceReport } from "../service-report.ts";
import type { Session } from "../session.ts";

interface ServiceOptions {
  readonly chat?: true | readonly string[];
  readonly user?: boolean;
  readonly system?: boolean;
  readonly envFile?: string;
  readonly dryRun?: boolean;
  readonly follow?: boolean;
  readonly n?: number;
}

export function serviceCommand(play: Play): Command {
  const group = new Command("service")
    .description("run this project's host under systemd")
    .usage("[options] install | status | logs | remove")
    .helpCommand(false)
    .argument("[verb]")
    .allowExcessArguments()
    .action((verb: string | undefined) => play(async () => unknownVerb(verb)));
  const member = (name: string, description: string) => scoped(group.command(name).description(description));
  member("install", "write the unit, show it, and start it")
    .option("--chat [platform...]", "with the chat bot, on these platforms of chat.yaml or on all")
    .option("--env-file <file>", "variables for the host, such as keys and tokens; read at each start")
    .option("--dry-run", "only show the unit")
    .action((options: ServiceOptions) => play((session) => install(session, options)));
  member("status", "whether it runs, since when, and what its threads do").action((options: ServiceOptions) =>
    play((session) => status(session, options)),
  );
  member("logs", "what it said")
    .option("-f, --follow", "go on as it says more")
    .option("-n <count>", "the last lines", parseCount, 100)
    .action((options: ServiceOptions) => play((session) => logs(session, options)));
  member("remove", "stop it and remove the unit; threads and their work stay")
    .option("--dry-run", "only say what would be removed")
    .action((options: ServiceOptions) => play((session) => remove(session, options)));
  return group;
}

function scoped(command: Command): Command {
  return command
    .option("--user", "of this user's systemd, which needs no root (the default)")
    .option("--system", "of the machine's, as this user");
}

interface Placed {
  readonly root: string;
  readonly scope: UnitScope;
  readonly unit: Unit;
  readonly folder: string;
}

function placed(session: Session, { user, system }: ServiceOptions): Placed {
  if (user && system)
    throw new Problem("E_USAGE", {
      what: "A service is the user's or the system's.",
      why: "--user and --system were both given. Nothing was done.",
      next: [{ cmd: "selvage service install --help", why: "what they mean" }],
    });
  const root = session.house.findProject(session.folder);
  const scope = system ? "system" : "user";
  const folder = unitFolder(scope);
  return { root, scope, folder, unit: unitOf(root, folder) };
}

async function install(session: Session, options: ServiceOptions): Promise<Answer> {
  requirePerson("service install");
  const { root, scope, unit, folder } = placed(session, options);
  const chat = await requireChat(session, root, options);
  const text = unitText({
    ...{ version: session.house.version, root, program: session.house.program, scope },
    user: process.env["SUDO_USER"] || userInfo().username,
    envFile: options.envFile === undefined ? undefined : requireEnvFile(session, root, options.envFile),
    stateHome: join(process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "selvage"),
    environment: carried(process.env),
    chat,
  });
  const data = {
    unit: `${unit.name}.service`,
    path: unit.path,
    scope,
    text,
    installed: false,
    chat: chat ?? null,
  };
  const kind = "service";
  if (options.dryRun)
    return { kind, exit: EXIT.ok, data, text: text.trimEnd(), hint: `It would be ${unit.path}.` };
  session.terminal.print(`${unit.path}\n\n${text}`);
  const { terminal } = session;
  const isAsked = session.mayAsk && !terminal.isMachine && !session.flags.yes;
  if (isAsked && !(await terminal.confirm("Install and start it?", "yes")))
    return { kind, exit: EXIT.ok, data, text: "Nothing was installed." };
  // Before anything is written: without systemd there is nothing to install it for.
  await systemctl(scope, ["show", "--property=Version"]);
  writeUnit(unit, folder, text);
  await systemctl(scope, ["daemon-reload"]);
  await systemctl(scope, ["enable", "--now", `${unit.name}.service`]);
  const hint =
    scope === "user"
      ? "It ends when you log out, unless: loginctl enable-linger"
      : "It starts with the machine.";
  const said = `${unit.name}.service is installed and started: selvage service status`;
  return { kind, exit: EXIT.ok, data: { ...data, installed: true }, text: said, hint };
}

/** Whether it is there is found out now, and not by a service that does not start. Its tokens are not there yet. */
async function requireChat(session: Session, root: string, options: ServiceOptions) {
  if (options.chat === undefined) return undefined;
  const asked = platformNames(options.chat);
  const { platforms } = await session.house.chatSettings(root);
  const chosen = requirePlatforms(platforms, asked);
  const isNamed = chosen.some((name) => Object.keys(platforms[name]?.env ?? {}).length > 0);
  if (options.envFile === undefined && isNamed)
    session.warn("Tokens of chat platforms come from --env-file FILE: a service has none of your shell's.");
  return asked;
}

/** A host without the tools of its user's shell would find none of them. No key is among these. */
function carried(environment: NodeJS.ProcessEnv): Record<string, string> {
  const names = ["PATH", "LANG", "XDG_STATE_HOME", "XDG_CONFIG_HOME"];
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

function requireEnvFile(session: Session, root: string, file: string): string {
  const path = resolve(file);
  try {
    accessSync(path, constants.R_OK);
    if ((statSync(path).mode & 0o077) !== 0)
      session.warn(`${path} can be read by others; with keys in it: chmod 600 ${path}`);
    if (path.startsWith(`${root}/`))
      session.warn(`${path} is in the project, whose files its tools may read; keep keys outside of it.`);
    return path;
  } catch (cause) {
    throw new Problem("E_USAGE", {
      what: `${oneLine(path, 200)} cannot be read.`,
      why: `${cause instanceof Error ? cause.message : ""} Nothing was written.`,
      next: [{ cmd: "selvage service install --env-file FILE", why: "lines such as NAME=value" }],
      cause,
    });
  }
}

async function status(session: Session, options: ServiceOptions): Promise<Answer> {
  const { root, scope, unit } = placed(session, options);
  requireThere(unit);
  return serviceReport(session, { root, scope, name: unit.name, chat: unit.chat });
}

async function logs(session: Session, options: ServiceOptions): Promise<Answer> {
  const { scope, unit } = placed(session, options);
  requireThere(unit);
  const name = `${unit.name}.service`;
  const args = ["-u", name, "-o", "cat", "-n", String(options.n), "--no-pager"];
  const interruption = session.interruption();
  const signal = AbortSignal.any([interruption.signal, session.terminal.gone]);
  const { terminal } = session;
  const lines: string[] = [];
  const onLine = (line: string) => {
    if (terminal.look.format === "jsonl") terminal.record({ kind: "service.line", line });
    else if (terminal.look.format === "json") lines.push(line);
    else terminal.print(stripControls(line) || " ");
  };
  const exit = await journalctl(scope, options.follow ? [...args, "-f"] : args, { onLine, signal });
  return { kind: "service.logs", exit: interruption.exit ?? exit, data: { unit: name, lines } };
}

async function remove(session: Session, options: ServiceOptions): Promise<Answer> {
  requirePerson("service remove");
  const { scope, unit } = placed(session, options);
  const name = `${unit.name}.service`;
  const data = { unit: name, path: unit.path, removed: unit.isThere && !options.dryRun };
  const answer = { kind: "service", exit: EXIT.ok, data };
  if (!unit.isThere) return { ...answer, text: "No service is installed for this project." };
  if (options.dryRun) return { ...answer, text: `Would stop ${name} and remove ${unit.path}.` };
  await systemctl(scope, ["disable", "--now", name]);
  removeUnit(unit);
  await systemctl(scope, ["daemon-reload"]);
  return { ...answer, text: `${name} is stopped and removed. Threads and their work stay.` };
}

function requireThere({ isThere }: Unit): void {
  if (isThere) return;
  throw new Problem("E_WRONG_STATE", {
    what: "No service is installed for this project.",
    why: "There is no unit of ours with this folder. A host may run all the same: selvage status.",
    next: [
      { cmd: "selvage service install", why: "installs one" },
      { cmd: "selvage service status --system", why: "if it is the system's" },
    ],
  });
}

function unknownVerb(verb: string | undefined): never {
  throw new Problem("E_USAGE", {
    what: verb === undefined ? "What about the service?" : `There is no service ${oneLine(verb, 40)}.`,
    why: "There are: install, status, logs, remove.",
    next: [{ cmd: "selvage service --help", why: "what they do" }],
  });
}
