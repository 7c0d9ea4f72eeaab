/** `bash`: a shell command in the project. What it did cannot be known from outside, so it is never repeated. */
import * as z from "zod/mini";
import { zodInput } from "../core/input.ts";
import type { Settings } from "../core/settings.ts";
import type { Tool, ToolContext, ToolOutcome } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { childEnvironment } from "./environment.ts";
import { outcomeOf, shorter } from "./group-outcome.ts";
import { lastLine } from "./progress.ts";
import type { Sandbox } from "./sandbox.ts";
import { runShell } from "./shell.ts";

const Input = () =>
  z.object({
    command: z.string().check(z.minLength(1), z.describe("The command, as for `bash -c`.")),
    timeout: z.optional(z.number().check(z.positive(), z.describe("Seconds after which it is stopped."))),
  });

export interface BashOptions {
  readonly projectRoot: string;
  readonly limits: Settings["tool"];
  readonly sandbox: Sandbox;
  /** Between TERM and KILL; tests are less patient. */
  readonly graceMs?: number;
}

export function bashTool(options: BashOptions): Tool {
  return toolFrom({
    name: "bash",
    get description() {
      return describe(options, false);
    },
    describe: (network) => describe(options, network),
    input: zodInput(Input),
    effect: "manual",
    run: (input, context) => runCommand(input, context, options),
  });
}

/** What the walls keep it from it should know beforehand, rather than find out by trying. */
function describe({ limits, sandbox }: BashOptions, network: boolean): string {
  const most = limits.timeout_seconds;
  const isEnclosed = sandbox.state().type === "bubblewrap";
  return [
    "Runs a shell command in the project's folder and returns what it prints.",
    "It has no input and no terminal; whatever it leaves in the background is ended with it.",
    ...(most > 0 ? [`It is stopped after ${most} seconds, or earlier with \`timeout\`.`] : []),
    ...(isEnclosed ? ["It can write in the project and in /tmp only; /tmp is empty at each call."] : []),
    ...(isEnclosed && !network ? ["It has no network."] : []),
  ].join(" ");
}

async function runCommand(
  input: z.infer<ReturnType<typeof Input>>,
  context: ToolContext,
  options: BashOptions,
): Promise<ToolOutcome> {
  const { limits, projectRoot, sandbox, graceMs } = options;
  const seconds = shorter(input.timeout, limits.timeout_seconds);
  const line = lastLine(context.progress);
  const end = await runShell(input.command, {
    sandbox,
    streams: "joined",
    directory: projectRoot,
    environment: childEnvironment(context),
    signal: context.signal,
    network: context.network === true,
    timeoutMs: seconds * 1_000,
    maxOutputBytes: limits.max_output_bytes,
    onOutput: line.hear,
    ...(graceMs !== undefined && { graceMs }),
  });
  const outcome = outcomeOf(end, { seconds, maxBytes: limits.max_output_bytes });
  line.end();
  return outcome;
}
