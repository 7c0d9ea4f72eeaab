/** The tool host from inside: loads the modules of a project and runs their tools, one call at a time. */
import type { Duplex } from "node:stream";
import { messageOf } from "../../core/input.ts";
import { paced, toldBy } from "../../core/progress.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { capped } from "../cap.ts";
import { hear, say } from "./json-lines.ts";
import { loadFailure, toolsIn } from "./module-exports.ts";
import type { CallRequest, FromHost, ListedTool, Reply, ToHost } from "./protocol.ts";

export type LoadModule = (file: string) => Promise<unknown>;

const PROGRESS_EVERY_MS = 100;

export function serve(line: Duplex, load: LoadModule): void {
  let abort = new AbortController();
  const answer = async (request: ToHost) => {
    if (request.type === "abort") return abort.abort();
    if (request.type === "load") return say<FromHost>(line, await loaded(load, request.file));
    abort = new AbortController();
    say<FromHost>(line, await called(load, request, { signal: abort.signal, progress: teller(line) }));
  };
  const leave = () => process.exit(0);
  hear<ToHost>(line, { maxChars: Number.POSITIVE_INFINITY, onMessage: answer, onNonsense: leave });
  line.on("close", leave); // whoever started us is gone
}

async function loaded(load: LoadModule, file: string): Promise<Reply> {
  try {
    return { type: "loaded", tools: toolsIn(await load(file)).map(listed) };
  } catch (cause) {
    return { type: "failed", failure: loadFailure(cause, file) };
  }
}

function listed(tool: Tool): ListedTool {
  const { name, description, input, effect, lanes, probe, timeoutSeconds, env } = tool;
  return {
    ...{ name, description, input, effect },
    hasLanes: lanes !== undefined,
    hasProbe: probe !== undefined,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(env && { env }),
  };
}

type Company = Pick<ToolContext, "signal" | "progress">;

async function called(load: LoadModule, request: CallRequest, company: Company): Promise<Reply> {
  const { type, file, name, input, facts, env, maxBytes } = request;
  const context = { ...facts, ...company };
  const before = Object.keys(env).map((variable) => [variable, process.env[variable]] as const);
  try {
    const tool = toolsIn(await load(file)).find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`${file} has no tool ${name} any more`);
    Object.assign(process.env, env);
    if (type === "run") return { type: "outcome", outcome: capped(await tool.run(input, context), maxBytes) };
    return { type: "probed", answer: (await tool.probe?.(input, context)) ?? { type: "cannot_tell" } };
  } catch (cause) {
    if (type === "probe") return { type: "probed", answer: { type: "cannot_tell" } };
    return { type: "outcome", outcome: { status: "error", output: messageOf(cause) } };
  } finally {
    for (const [variable, value] of before) {
      if (value === undefined) delete process.env[variable];
      else process.env[variable] = value;
    }
  }
}

/** Not each of a million: nobody could read them. */
function teller(line: Duplex): ToolContext["progress"] {
  const isTime = paced(PROGRESS_EVERY_MS);
  return (...said) => {
    const { message, ...part } = toldBy(said);
    if (!isTime(performance.now(), part.progress)) return;
    say<FromHost>(line, { type: "progress", message: message.slice(0, 1_000), ...part });
  };
}
