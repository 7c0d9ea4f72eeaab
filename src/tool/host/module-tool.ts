/** A tool of a project's module, as the runtime sees it: checked here, run in a tool host. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Settings } from "../../core/settings.ts";
import type { Effect, ProbeAnswer, Tool, ToolContext, ToolOutcome } from "../../core/tool.ts";
import { toolFrom } from "../contract.ts";
import { shorter } from "../group-outcome.ts";
import { jsonSchemaInput } from "../json-schema.ts";
import type { GroupEnd } from "../process-group.ts";
import { lastLine } from "../progress.ts";
import { type CallEnd, callHost } from "./call.ts";
import type { HostPool } from "./pool.ts";
import type { CallRequest, ListedTool } from "./protocol.ts";

export interface ModuleOptions {
  readonly pool: HostPool;
  readonly limits: Settings["tool"];
  readonly graceMs?: number;
}

export interface ModuleFile {
  readonly path: string;
  /** Of the text that was loaded. */
  readonly hash: string;
}

/** Its `lanes` cannot be asked without a wait, so tools that have some take turns. */
const LANES = ["tools-with-lanes"];

export function moduleTool(listed: ListedTool, file: ModuleFile, options: ModuleOptions): Tool {
  return toolFrom<unknown>({
    ...{ name: listed.name, description: listed.description, effect: listed.effect },
    // The host checks again, with patterns and rules that cannot be told here.
    input: jsonSchemaInput(listed.input, "skip"),
    ...(listed.hasLanes && { lanes: () => LANES }),
    run: (input, context) => run(listed, file, { input, context, ...options }),
    ...(listed.hasProbe && {
      probe: (input: unknown, context: ToolContext) => probe(listed, file, { input, context, ...options }),
    }),
  });
}

export function fileHash(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

interface Call extends ModuleOptions {
  readonly input: unknown;
  readonly context: ToolContext;
}

async function run(listed: ListedTool, file: ModuleFile, call: Call): Promise<ToolOutcome> {
  // A new host would load what stands there now, which nobody has trusted (K5).
  if (fileHash(file.path) !== file.hash)
    return {
      status: "error",
      output: "The file of this tool has changed since it was loaded; it was not run.",
    };
  const seconds = shorter(listed.timeoutSeconds, call.limits.timeout_seconds);
  const end = await ask("run", listed, file, call);
  switch (end.type) {
    case "replied":
      return end.reply.type === "outcome"
        ? end.reply.outcome
        : { status: "error", output: "It gave no result." };
    case "timed_out":
      return {
        status: "error",
        output: `Timed out after ${seconds} s and was stopped. It may have done all or part of its work.`,
      };
    case "stopped":
      if (!end.isKilled) return { status: "stopped", output: "Stopped." };
      return { status: "stopped", output: "Killed: it did not stop when it was told to.", killed: true };
    case "printed_too_much":
      return {
        status: "error",
        output: `Stopped: it printed more than ${call.limits.max_output_bytes} bytes.`,
      };
    case "died":
      return lost(listed.effect, end.end);
    case "not_begun":
      if (end.why.type === "stopped") return { status: "stopped", output: "Stopped before it began." };
      return { status: "error", output: `It was not run: ${loadProblem(end.why)}.` };
  }
}

async function probe(listed: ListedTool, file: ModuleFile, call: Call): Promise<ProbeAnswer> {
  if (fileHash(file.path) !== file.hash) return { type: "cannot_tell" };
  const end = await ask("probe", listed, file, call);
  const isAnswer = end.type === "replied" && end.reply.type === "probed";
  return isAnswer ? end.reply.answer : { type: "cannot_tell" };
}

async function ask(
  type: CallRequest["type"],
  listed: ListedTool,
  { path }: ModuleFile,
  { input, context, limits, pool, graceMs }: Call,
): Promise<CallEnd> {
  const { threadId, chainRootId, turn, callKey, signal, network = false, progress } = context;
  const line = lastLine(progress);
  const request: CallRequest = {
    ...{ type, file: path, name: listed.name, input },
    facts: { threadId, chainRootId, turn, callKey },
    env: {
      ...Object.fromEntries((listed.env ?? []).map((name) => [name, process.env[name] ?? ""])),
      SELVAGE_THREAD: threadId,
    },
    maxBytes: limits.max_output_bytes,
  };
  const end = await callHost(pool, request, {
    ...{ signal, network },
    timeoutMs: shorter(listed.timeoutSeconds, limits.timeout_seconds) * 1_000,
    maxOutputBytes: limits.max_output_bytes,
    onProgress: progress,
    onOutput: line.hear,
    ...(graceMs !== undefined && { graceMs }),
  });
  line.end();
  return end;
}

/** It died in the middle of its work: only a tool without effects can be said to have had none. */
function lost(effect: Effect, end: GroupEnd): ToolOutcome {
  const how = howItDied(end);
  if (effect === "pure" || end.type === "could_not_start") return { status: "error", output: how };
  return {
    status: "unknown",
    output: `${how}\nIt may have taken full effect, partial effect or none. Check before repeating it.`,
  };
}

/** Why a module that was loaded before cannot be loaded again. */
function loadProblem(end: CallEnd): string {
  if (end.type === "died") return `its file could not be loaded. ${howItDied(end.end)}`;
  const failed = end.type === "replied" && end.reply.type === "failed";
  return failed
    ? `its file could not be loaded: ${end.reply.failure.message}`
    : "its file was not loaded in time";
}

export function howItDied(end: GroupEnd): string {
  if (end.type === "could_not_start") return `The tool's process could not be started: ${end.why}.`;
  const how =
    end.type === "exited"
      ? `with exit code ${end.code}`
      : end.type === "killed"
        ? `by ${end.signal}`
        : "early";
  const last = end.output.trim().slice(-2_000);
  return `The tool's process ended ${how} before it gave a result.${last ? ` It last said:\n${last}` : ""}`;
}
