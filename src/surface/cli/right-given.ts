/** A right as a person names it on the command line: in full, in short, or by the name of a tool. */
import { closest } from "../../core/closest.ts";
import { type NextStep, Problem } from "../../core/problem.ts";
import { isVerb, parseRight, toolRight } from "../../core/right.ts";
import { oneLine } from "../../core/text.ts";

/** For a thread; `tools` are names that mean a tool even where they could be the beginning of a right. */
export function givenRight(threadId: string, text: string, tools: readonly string[]): string {
  const isName = /^[A-Za-z0-9_-]+$/.test(text) && !isVerb(text);
  if (isName || tools.includes(text)) return toolRight(text);
  const parsed = parseRight(text);
  if ("right" in parsed) return parsed.right;
  throw new Problem("E_USAGE", {
    what: `"${oneLine(text, 60)}" is no right.`,
    why: `${parsed.why.replace(/[^?]$/, "$&.")}\nIt is written as in a directive, such as execute.tool.bash or execute.tool.*; bash alone means the first.`,
    next: [rightsOfIt(threadId)],
    threadId,
  });
}

export function noSuchTool(threadId: string, tool: string, tools: readonly string[]): Problem {
  const near = closest(tool.slice(0, 100), tools);
  const all = tools.length > 0 ? `There are: ${tools.join(", ")}.` : "It has no tools at all.";
  return new Problem("E_USAGE", {
    what: `There is no tool "${oneLine(tool, 60)}".`,
    why: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : all,
    next: [rightsOfIt(threadId)],
    threadId,
  });
}

function rightsOfIt(threadId: string): NextStep {
  return { cmd: `selvage show ${threadId} --caps`, why: "its tools and rights" };
}
