/** A JSON object from a file, or from stdin as `-`. */
import { readFileSync } from "node:fs";
import { Problem } from "../../core/problem.ts";

const STDIN = 0;

/** `holds`: what it is said to hold, for complaints. */
export function readObject(path: string, holds: string): Readonly<Record<string, unknown>> {
  const unusable = (why: string, cause?: unknown) =>
    new Problem("E_USAGE", { what: `The ${holds} in ${path} cannot be used.`, why, cause });
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path === "-" ? STDIN : path, "utf8"));
  } catch (cause) {
    throw unusable((cause as Error).message, cause);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw unusable("It is not a JSON object.");
}
