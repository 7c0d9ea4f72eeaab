/** How a command ended, in words for the model. */
import type { ToolOutcome } from "../core/tool.ts";
import type { GroupEnd } from "./process-group.ts";

export interface Limits {
  readonly seconds: number;
  readonly maxBytes: number;
}

/** The setting is a ceiling; 0 means that there is none. */
export function shorter(asked: number | undefined, ceiling: number): number {
  if (asked === undefined) return ceiling;
  return ceiling > 0 ? Math.min(asked, ceiling) : asked;
}

export function outcomeOf(end: GroupEnd, { seconds, maxBytes }: Limits): ToolOutcome {
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
      if (!end.isKilled) return told("stopped", "Stopped.", end.output);
      return { ...told("stopped", "Killed: it did not stop when it was told to.", end.output), killed: true };
    case "could_not_start":
      return { status: "error", output: `Could not start: ${end.why}.` };
  }
}

function told(status: "error" | "stopped", words: string, output: string): ToolOutcome {
  return { status, output: output ? `${words}\n${output}` : words };
}
