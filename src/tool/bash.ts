/** `bash`: a shell command in the project. What it did cannot be known from outside, so it is never repeated. */
import * as z from "zod/mini";
import type { Settings } from "../core/settings.ts";
import type { Tool, ToolContext, ToolOutcome } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { childEnvironment } from "./environment.ts";
import { zodInput } from "./input.ts";
import { type GroupEnd, runGroup } from "./process-group.ts";
import { lastLine } from "./progress.ts";

const Input = z.object({
  command: z.string().check(z.minLength(1), z.describe("The command, as for `bash -c`.")),
  timeout: z.optional(z.number().check(z.positive(), z.describe("Seconds after which it is stopped."))),
});

export interface BashOptions {
  readonly projectRoot: string;
  readonly limits: Settings["tool"];
  /** Between TERM and KILL; tests are less patient. */
  readonly graceMs?: number;
}

export function bashTool(options: BashOptions): Tool {
  const most = options.limits.timeout_seconds;
  return toolFrom({
    name: "bash",
    description: [
      "Runs a shell command in the project's folder and returns what it prints.",
      "It has no input and no terminal; whatever it leaves in the background is ended with it.",
      ...(most > 0 ? [`It is stopped after ${most} seconds, or earlier with \`timeout\`.`] : []),
    ].join(" "),
    input: zodInput(Input),
    effect: "manual",
    run: (input, context) => runCommand(input, context, options),
  });
}

async function runCommand(
  input: z.infer<typeof Input>,
  context: ToolContext,
  options: BashOptions,
): Promise<ToolOutcome> {
  const { limits, projectRoot, graceMs } = options;
  const seconds = shorter(input.timeout, limits.timeout_seconds);
  const line = lastLine(context.progress);
  const runIn = (shell: string) =>
    runGroup({
      command: shell,
      args: ["-c", input.command],
      streams: "joined",
      directory: projectRoot,
      environment: childEnvironment(context.callKey),
      signal: context.signal,
      timeoutMs: seconds * 1_000,
      maxOutputBytes: limits.max_output_bytes,
      onOutput: line.hear,
      ...(graceMs !== undefined && { graceMs }),
    });
  const end = await runIn("bash");
  const isMissing = end.type === "could_not_start" && end.code === "ENOENT";
  const outcome = outcomeOf(isMissing ? await runIn("sh") : end, seconds, limits.max_output_bytes);
  line.end();
  return outcome;
}

/** The setting is a ceiling; 0 means that there is none. */
function shorter(asked: number | undefined, ceiling: number): number {
  if (asked === undefined) return ceiling;
  return ceiling > 0 ? Math.min(asked, ceiling) : asked;
}

function outcomeOf(end: GroupEnd, seconds: number, maxBytes: number): ToolOutcome {
  switch (end.type) {
    case "exited":
      if (end.code !== 0) return told("error", `Exit code ${end.code}.`, end.output);
      return { status: "ok", output: end.output || "(no output)" };
    case "killed":
      return told("error", `Ended by ${end.signal}.`, end.output);
    case "timed_out":
      return told("error", `Timed out after ${seconds} s and was stopped.`, end.output);
    case "output_too_large":
      return told("error", `Stopped: it printed more than ${maxBytes} bytes. What came before:`, end.output);
    case "aborted":
      return told("stopped", "Stopped.", end.output);
    case "could_not_start":
      return { status: "error", output: `Could not start: ${end.why}.` };
  }
}

function told(status: "error" | "stopped", words: string, output: string): ToolOutcome {
  return { status, output: output ? `${words}\n${output}` : words };
}
