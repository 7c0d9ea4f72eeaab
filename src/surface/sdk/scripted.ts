/** A model that follows a script, as a program writes one: texts, calls of its tools, failures. */
import type { ScriptCall, ScriptStep } from "../../core/script.ts";

const MARK = Symbol.for("selvage.scripted");

export interface Scripted {
  readonly [MARK]: true;
  readonly steps: readonly ScriptStep[];
}

/** A text is an answer; a call, or several, are an answer that asks for them; anything else is a step as in a script file. */
export type Line = string | ScriptCall | readonly ScriptCall[] | ScriptStep;

export function scripted(lines: readonly Line[]): Scripted {
  if (!Array.isArray(lines)) throw new TypeError("scripted() takes a list of texts, calls and steps.");
  return { [MARK]: true, steps: lines.map(stepOf) };
}

export function isScripted(value: unknown): value is Scripted {
  return typeof value === "object" && value !== null && MARK in value;
}

function stepOf(line: Line): ScriptStep {
  if (typeof line === "string") return { says: line };
  if (Array.isArray(line)) return { calls: line as readonly ScriptCall[] };
  return "tool" in line ? { calls: [line] } : (line as ScriptStep);
}
