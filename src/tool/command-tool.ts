/** A tool that is a command: its arguments as JSON on its input, its result on its output. */

import type { JsonSchema } from "../core/input.ts";
import type { Settings } from "../core/settings.ts";
import type { ProbeAnswer, Tool, ToolContext, ToolOutcome } from "../core/tool.ts";
import type { CommandFile } from "./command-file.ts";
import { toolFrom } from "./contract.ts";
import { childEnvironment } from "./environment.ts";
import { outcomeOf, shorter } from "./group-outcome.ts";
import { jsonSchemaInput } from "./json-schema.ts";
import { probeAnswer } from "./probe-answer.ts";
import { type GroupEnd, runGroup } from "./process-group.ts";
import { lastLine } from "./progress.ts";
import type { Sandbox } from "./sandbox.ts";
import { runShell } from "./shell.ts";

export interface CommandOptions {
  readonly projectRoot: string;
  readonly limits: Settings["tool"];
  readonly sandbox: Sandbox;
  readonly graceMs?: number;
}

const NO_ARGUMENTS: JsonSchema = { type: "object", properties: {} };

export function commandTool(name: string, file: CommandFile, options: CommandOptions): Tool {
  const { lanes, probe } = file;
  return toolFrom<Record<string, unknown>>({
    name,
    description: file.description,
    input: jsonSchemaInput(file.input ?? NO_ARGUMENTS),
    effect: file.effect ?? "manual",
    ...(lanes && { lanes: () => lanes }),
    run: (input, context) => run(file, input, context, options),
    ...(probe && {
      probe: (input: Record<string, unknown>, context: ToolContext) =>
        ask({ ...file, command: probe }, input, context, options),
    }),
  });
}

async function run(
  file: CommandFile,
  input: Record<string, unknown>,
  context: ToolContext,
  options: CommandOptions,
): Promise<ToolOutcome> {
  const line = lastLine(context.progress);
  const end = await start(file, JSON.stringify(input), context, { ...options, onOutput: line.hear });
  line.end();
  if (end.type === "exited" && end.code === 0)
    return { status: "ok", output: spoken(end.stdout ?? "") || "(no output)" };
  const seconds = shorter(file.timeout_seconds, options.limits.timeout_seconds);
  return outcomeOf(end, { seconds, maxBytes: options.limits.max_output_bytes });
}

async function ask(
  file: CommandFile,
  input: Record<string, unknown>,
  context: ToolContext,
  options: CommandOptions,
): Promise<ProbeAnswer> {
  const question = JSON.stringify({ call_key: context.callKey, input });
  const end = await start(file, question, context, options);
  if (end.type !== "exited" || end.code !== 0) return { type: "cannot_tell" };
  return probeAnswer(JSON.parse(end.stdout ?? ""));
}

function start(
  { command, env = [], timeout_seconds }: CommandFile,
  input: string,
  context: ToolContext,
  { projectRoot, limits, sandbox, graceMs, onOutput }: CommandOptions & { onOutput?: (text: string) => void },
): Promise<GroupEnd> {
  const job = {
    sandbox,
    streams: "split" as const,
    directory: projectRoot,
    input: `${input}\n`,
    environment: childEnvironment(context, process.env, env),
    signal: context.signal,
    network: context.network === true,
    timeoutMs: shorter(timeout_seconds, limits.timeout_seconds) * 1_000,
    maxOutputBytes: limits.max_output_bytes,
    ...(graceMs !== undefined && { graceMs }),
    ...(onOutput && { onOutput }),
  };
  if (typeof command === "string") return runShell(command, job);
  const [program = "", ...args] = command;
  return runGroup({ ...job, command: program, args });
}

/** JSON of a text is that text; any other JSON, and what is none, stands as it was printed. */
function spoken(stdout: string): string {
  const text = stdout.trimEnd();
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
