/** A model that follows a script, as a program writes one: texts, calls of its tools, failures. */
import type { ScriptCall, ScriptStep } from "../../core/script.ts";

const MARK = Symbol.for("selvage.scripted");

export interface Scripted {
  readonly [MARK]: true;
  readonly steps: readonly ScriptStep[];
}

/** A text is an answer; a call, or several, are an answer that asks for them; anything else is a step as in a script file. */
export type Line = string | ScriptCall | readonly ScriptCall[] | ScriptStep;

/** `scripted([{ fails: { status: 429 } }, weather({ city: "Oslo" }), "A light jacket."])` */
export function scripted(lines: readonly Line[]): Scripted {
  if (!Array.isArray(lines)) throw new TypeError("scripted() takes a list of texts, calls and steps.");
  return { [MARK]: true, steps: lines.map(stepOf) };
}

export function isScripted(value: unknown): value is Scripted {
  return typeof value === "object" && value !== null && MARK in value;
}

const STEP_KEYS = ["says", "streams", "calls", "fails", "hangs", "usage"];

function stepOf(line: Line, index: number): ScriptStep {
  if (typeof line === "string") return { says: line };
  if (Array.isArray(line)) return { calls: line.map((call) => callOf(call, index)) };
  if (typeof line === "function")
    throw new TypeError(`${at(index)} is a tool; call it: ${name(line)}({ … }).`);
  if (typeof line !== "object" || line === null)
    throw new TypeError(`${at(index)} is no text, call or step.`);
  if ("tool" in line) return { calls: [callOf(line, index)] };
  const unknown = Object.keys(line).filter((key) => !STEP_KEYS.includes(key));
  if (unknown.length > 0 || Object.keys(line).length === 0)
    throw new TypeError(
      `${at(index)} is no step: it has ${unknown.join(", ") || "nothing"}. Steps have ${STEP_KEYS.join(", ")}.`,
    );
  return line as ScriptStep;
}

function callOf(call: ScriptCall, index: number): ScriptCall {
  if (typeof call === "object" && call !== null && typeof call.tool === "string") return call;
  throw new TypeError(
    `${at(index)} has something that is no call: { tool, input }, or a tool that is called.`,
  );
}

function at(index: number): string {
  return `Line ${index + 1} of the script`;
}

function name(tool: unknown): string {
  return (tool as { name?: string }).name ?? "tool";
}
