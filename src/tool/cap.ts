/** The cap on what is stored of one call (F9), for tools that hand over their result as a whole. */
import type { ToolOutcome } from "../core/tool.ts";

export function capped(outcome: ToolOutcome, maxBytes: number): ToolOutcome {
  const { output } = outcome;
  if (output.length * 3 <= maxBytes || Buffer.byteLength(output) <= maxBytes) return outcome;
  // As a stream, which leaves out a last character that was cut in two.
  const start = new TextDecoder().decode(Buffer.from(output).subarray(0, maxBytes), { stream: true });
  return { status: "error", output: `Its result has more than ${maxBytes} bytes. It begins with:\n${start}` };
}
