/** Why a thread may do something or not, in sentences. */
import { denialText } from "../../core/denial.ts";
import type { Explanation } from "../../core/explain-right.ts";
import { itemRight } from "../../core/item-right.ts";
import { orchestrationTool } from "../../core/orchestration.ts";
import { covers, directiveRight, NETWORK_RIGHT, toolNamed, toolRight } from "../../core/right.ts";
import { meet, namesRight } from "../../core/rights.ts";
import { oneLine } from "../../core/text.ts";
import type { Thread } from "../../core/thread.ts";
import type { SandboxInForce } from "./house.ts";
import { list, networkText } from "./rights-text.ts";

export function reasons(thread: Thread, explained: Explanation): string[] {
  switch (explained.verdict) {
    case "denied":
      return denials(thread, explained);
    case "asks":
      return explained.asked_by.map(({ thread_id, directive, asks }) => {
        const who = thread_id === null ? `its directive ${directive}` : `${thread_id} (${directive})`;
        return `${who} says so of ${list(asks)}`;
      });
    case "allowed": {
      const { rights, directive } = thread;
      const declared = rights.permissions.filter((each) => covers(each, explained.right));
      const above = rights.above.map(({ thread_id, directive: whose }) => `${thread_id} (${whose})`);
      const handed = above.length > 0 ? `, and it is handed on by ${above.join(", ")}` : "";
      return [`its directive ${directive} grants ${list(declared)}${handed}`];
    }
  }
}

function denials({ rights }: Thread, { right, revoked, missing, within }: Explanation): string[] {
  const taken = revoked.map(({ right: each, by, from }) => {
    const above = rights.above.find(({ thread_id }) => thread_id === from);
    const whose = above ? `, from ${from} (${above.directive})` : "";
    return `${list([each])} was taken away by ${oneLine(by, 60)}${whose}`;
  });
  const why = missing.some(({ thread_id }) => thread_id !== null) ? "dropped" : "undeclared";
  const isOwn = missing.some(({ thread_id }) => thread_id === null);
  return [
    ...taken,
    ...(missing.length > 0 ? [denialText({ right, why, by: missing })] : []),
    ...(isOwn && namesRight(rights.delegates, right)
      ? ["it may hand it on (delegates), not use it itself"]
      : []),
    ...(within.length > 0
      ? [`it may use of it: ${list(within)}${taken.length > 0 ? ", without what was taken" : ""}`]
      : []),
  ];
}

/** What a right does not say by itself. */
export function notesOn(
  thread: Thread,
  { right, verdict }: Explanation,
  inForce: () => SandboxInForce,
): string[] {
  const tool = toolNamed(right);
  const isOffered = tool === undefined || thread.tools.includes(tool);
  const isOrchestration = tool !== undefined && orchestrationTool(tool, {}) !== undefined;
  if (isOrchestration && !isOffered) return [whoIsOffered(tool)];
  if (verdict !== "denied" && !isOffered)
    return [`${tool} is not offered to it: there was no such tool when it was started`];
  if (covers(right, NETWORK_RIGHT)) {
    const sandbox = inForce();
    return sandbox.type === "bubblewrap" ? [] : [networkText(thread, sandbox)];
  }
  const isUsed = meet([right], [toolRight("*"), directiveRight("*"), ...VERBS]).length > 0;
  return isUsed ? [] : ["nothing in this version asks for this right"];
}

const VERBS = (["load", "search", "sign"] as const).map((verb) => itemRight(verb, undefined, "*"));

/** Tools of the runtime that a thread was not given. */
function whoIsOffered(tool: string): string {
  switch (tool) {
    case "load":
    case "search":
      return `it is offered to threads whose directive names what they may ${tool}: ${tool}.knowledge.NAME`;
    case "execute":
    case "get_chain":
    case "chain_search":
      return `it is offered to threads whose directive names it: execute.tool.${tool}`;
    default:
      return "it is offered to threads that have a right to start a directive too: execute.directive.NAME";
  }
}
