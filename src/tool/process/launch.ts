/** Starting a process with its keeper: what it may be, where, with what environment, behind which walls. */
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { relative } from "node:path";
import { messageOf } from "../../core/input.ts";
import type { ProcessAsk } from "../../core/processes.ts";
import { NETWORK_RIGHT, shortRight } from "../../core/right.ts";
import { childEnvironment } from "../environment.ts";
import { whyNotFound } from "../find-command.ts";
import { linearPattern, loadPatterns } from "../linear-pattern.ts";
import { resolvePlace } from "../project-path.ts";
import type { Sandbox } from "../sandbox.ts";
import type { KeeperAnswer, KeeperOrder } from "./keeper.ts";
import { KEEPER, MEMBER, THREAD } from "./marked.ts";
import { isListening } from "./port.ts";

export interface Launching {
  readonly root: string;
  readonly threadsFolder: string;
  readonly sandbox: Sandbox;
  /** The program of the keeper. */
  readonly keeperEntry: string;
  readonly graceMs: number;
  readonly maxLogBytes: number;
}

interface Prepared {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** As it is told to people: from the project's folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

type Refused = { readonly refused: string };

const ANSWER_MS = 15_000;

export async function prepare(ask: ProcessAsk, options: Launching): Promise<Prepared | Refused> {
  const place = resolvePlace(options.root, ask.cwd ?? ".");
  if (place.complaint !== undefined) return { refused: `cwd: ${place.complaint}` };
  const { path: directory } = place;
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return { refused: `cwd: there is no folder ${ask.cwd}` };
  const unreadable = ask.readyPattern === undefined ? undefined : await patternProblem(ask.readyPattern);
  if (unreadable !== undefined) return { refused: `ready_pattern: ${unreadable}` };
  const env = { ...childEnvironment(ask), ...ask.env };
  const { command, args, network, readyPort } = ask;
  const missing = whyNotFound({ command, directory, environment: env });
  if (missing) return { refused: notFound(command, missing) };
  const enclosed = options.sandbox.enclose({ command, args, directory, network });
  if (enclosed.type === "refused") return { refused: `no sandbox: ${enclosed.why}` };
  if (readyPort !== undefined) {
    if (enclosed.type === "enclosed" && !network) return { refused: unreachable() };
    if (await isListening(readyPort))
      return { refused: `ready_port: somebody else listens on ${readyPort} already; nothing was started` };
  }
  const program = enclosed.type === "enclosed" ? enclosed : { command, args };
  const cwd = relative(resolvedRoot(options.root), directory) || ".";
  return { command: program.command, args: program.args, directory, cwd, env };
}

function resolvedRoot(root: string): string {
  const place = resolvePlace(root, ".");
  return place.complaint === undefined ? place.path : root;
}

async function patternProblem(source: string): Promise<string | undefined> {
  await loadPatterns();
  try {
    linearPattern(source);
    return undefined;
  } catch (cause) {
    return messageOf(cause);
  }
}

/** What looks like a line of shell is none: nothing but its first word would be a program. */
function notFound(command: string, code: string): string {
  const isLine = /[\s|&;<>$`*?"']/.test(command);
  const how = `For a line of shell: command "bash", args ["-c", ${JSON.stringify(command)}].`;
  if (isLine) return `command: it is the name of one program, not a command line. ${how}`;
  return `command: ${command} ${code === "EACCES" ? "cannot be run" : "was not found"}`;
}

function unreachable(): string {
  return [
    "ready_port: without a right to the network the process is alone in its sandbox, and nobody reaches its ports.",
    `Use ready_pattern, or let the directive have the right: permissions: [${shortRight(NETWORK_RIGHT)}].`,
  ].join(" ");
}

/** Comes back when the process runs, or cannot. */
export function launch(
  order: Prepared & Pick<KeeperOrder, "files" | "mark" | "over">,
  { keeperEntry, graceMs, maxLogBytes }: Launching,
): Promise<KeeperAnswer> {
  const { command, args, directory: cwd, files, mark, over } = order;
  const env = { ...order.env, [MEMBER]: mark };
  const whole: KeeperOrder = { command, args, cwd, env, files, mark, over, graceMs, maxLogBytes };
  return new Promise((resolve) => {
    const keeper = spawn(process.execPath, [keeperEntry], {
      cwd: "/",
      env: { [KEEPER]: mark, [THREAD]: order.env[THREAD] ?? "" },
      detached: true, // what is sent to our group, by a terminal or by whoever ends us, is not for it
      stdio: ["pipe", "pipe", "ignore"],
    });
    let said = "";
    const timer = setTimeout(() => keeper.stdout.destroy(), ANSWER_MS);
    keeper.on("error", (cause) => resolve({ refused: cause.message }));
    keeper.stdin.on("error", () => {}); // it went before it was told all
    keeper.stdout.on("error", () => {});
    keeper.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    keeper.stdout.once("close", () => {
      clearTimeout(timer);
      resolve(answerIn(said));
    });
    keeper.unref();
    keeper.stdin.end(JSON.stringify(whole));
  });
}

function answerIn(said: string): KeeperAnswer {
  try {
    return JSON.parse(said);
  } catch {
    return { refused: "its keeper did not come up" };
  }
}
