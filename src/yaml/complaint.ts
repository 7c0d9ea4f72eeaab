/** Complaints about a file, as the `why` of a problem: one line each, `file:line:column: message`. */
import type { Complaint } from "../core/directive.ts";

const SHOWN = 5;

export function complaintText(complaints: readonly Complaint[]): string {
  const lines = complaints
    .slice(0, SHOWN)
    .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const left = complaints.length - lines.length;
  return (left > 0 ? [...lines, `and ${left} more`] : lines).join("\n");
}
