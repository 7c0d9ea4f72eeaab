/** What a module of a project gives us: its tools, or the place where it went wrong. */

import { messageOf } from "../../core/input.ts";
import type { Tool } from "../../core/tool.ts";
import type { LoadFailure } from "./protocol.ts";

/** The default export and the named ones; a CommonJS module may be a tool itself. */
export function toolsIn(module: unknown): readonly Tool[] {
  const exported = isTool(module) ? [module] : Object.values((module ?? {}) as object);
  const tools = [...new Set(exported)].filter(isTool);
  if (tools.length === 0) throw new Error("it exports no tool; write `export default defineTool({ … })`");
  return tools;
}

/** `complaint` is what an object that was not made by `defineTool` lacks. */
function isTool(value: unknown): value is Tool {
  // What `defineTool` makes can be called, to write a call of it down.
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const { name, run, complaint } = value as Partial<Tool>;
  return typeof name === "string" && typeof run === "function" && typeof complaint === "function";
}

const PARSE_ERROR = /^ParseError: /;

/**
 * The place is where the module's own file is named first, in the message or in the stack. Columns of the stack are
 * those of the text that was made of the file, and of no use; those of the parser count from 0.
 */
export function loadFailure(cause: unknown, file: string): LoadFailure {
  const text = cause instanceof Error ? `${cause.message}\n${cause.stack ?? ""}` : "";
  const [, line = "1", column = "0"] = /^(\d+):(\d+)/.exec(text.split(`${file}:`)[1] ?? "") ?? [];
  const [said = ""] = messageOf(cause).split("\n");
  const message = said.replace(PARSE_ERROR, "").trim() || "it cannot be loaded";
  return { message, line: Number(line), column: PARSE_ERROR.test(said) ? Number(column) + 1 : 1 };
}
