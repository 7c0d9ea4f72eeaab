/** A JSON object from a file, or from stdin as `-`. */
import { readFileSync } from "node:fs";
import { type NextStep, Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";

const STDIN = 0;

export interface ObjectFile {
  /** What it is said to hold, for complaints. */
  readonly holds: string;
  /** How it is given rightly. */
  readonly example: NextStep;
}

export function readObject(path: string, { holds, example }: ObjectFile): Readonly<Record<string, unknown>> {
  const unusable = (why: string, cause?: unknown) =>
    new Problem("E_USAGE", {
      what: `The ${holds} in ${path === "-" ? "stdin" : oneLine(path, 100)} cannot be used.`,
      why,
      next: [example],
      cause,
    });
  let text: string;
  try {
    text = readFileSync(path === "-" ? STDIN : path, "utf8");
  } catch (cause) {
    throw unusable(unreadable((cause as NodeJS.ErrnoException).code), cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusable(notJson(text, (cause as Error).message), cause);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw unusable("It is not a JSON object.");
}

function unreadable(code: string | undefined): string {
  if (code === "ENOENT") return "There is no such file.";
  if (code === "EISDIR") return "It is a folder.";
  return code === "EACCES" ? "You may not read it." : `It cannot be read (${code}).`;
}

/** What the parser says quotes the file and changes with Node; only its place is worth telling. */
function notJson(text: string, message: string): string {
  if (text.trim() === "") return "It is empty.";
  const [, position] = /position (\d+)/.exec(message) ?? [];
  if (position === undefined) return "It is not JSON.";
  const before = text.slice(0, Number(position)).split("\n");
  return `It is not JSON: line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`;
}
