/**
 * Which rights a call needs (K1).
 *   N1. A tool needs `execute.tool.NAME`. Said with `execute`, it needs `execute.tool.execute` besides: nothing that is
 *       asked about or taken away for one way is open by the other.
 *   N2. `load` needs the item's own right and no other; `search` a right to search something, and finds no more than
 *       what may be loaded. To be granted one of these is to be granted the verb.
 *   N3. `sign` needs its tool and the item's own right, and a person (signing.ts).
 */
import { RETURN_TOOL } from "./answer.ts";
import { type Denial, denialOf } from "./denial.ts";
import { EXECUTE_TOOL, ITEM_INPUTS } from "./item.ts";
import { anyOf, itemRight } from "./item-right.ts";
import type { CallBlock } from "./message.ts";
import { toolRight } from "./right.ts";
import { leaveFor, type Rights } from "./rights.ts";
import { SIGN_TOOL, signRights } from "./signing.ts";

export interface AskedCall extends Pick<CallBlock, "executes"> {
  readonly tool: string;
  readonly input?: unknown;
}

/** All that a call needs. Of an input that does not fit nothing is known, and nothing will be done. */
export function rightsNeeded({ tool, input, executes }: AskedCall): string[] {
  const verb = executes === undefined ? [] : [toolRight(EXECUTE_TOOL)];
  return [...verb, ...ownRights(tool, input)];
}

function ownRights(tool: string, input: unknown): string[] {
  switch (tool) {
    case RETURN_TOOL:
      return []; // to hand back what it was asked for needs nobody's leave
    case SIGN_TOOL:
      return [toolRight(tool), ...signRights(input)];
    case "load": {
      const { value } = ITEM_INPUTS.load.check(input) as { value?: { item_type: string; item_id: string } };
      return value ? [itemRight("load", value.item_type, value.item_id)] : [];
    }
    case "search": {
      const { value } = ITEM_INPUTS.search.check(input) as { value?: { item_type?: string } };
      return value ? [itemRight("search", value.item_type, "*")] : [];
    }
    default:
      return [toolRight(tool)];
  }
}

/** The least that one of the rights gives; for a signature, never without a person. */
export function leaveForCall(rights: Rights, call: AskedCall): ReturnType<typeof leaveFor> {
  const leaves = rightsNeeded(call).map((right) => leaveForOne(rights, call, right));
  if (leaves.includes("denied")) return "denied";
  return leaves.includes("ask") || call.tool === SIGN_TOOL ? "ask" : "free";
}

/** The right for which a person is asked. */
export function askedRight(rights: Rights, call: AskedCall): string | undefined {
  return rightsNeeded(call).find((right) => leaveForOne(rights, call, right) === "ask");
}

/** Why it may not be made; undefined when it may. */
export function denialOfCall(
  thread: { readonly directive: string; readonly rights: Rights },
  call: AskedCall,
): Denial | undefined {
  const missing = rightsNeeded(call).find((right) => leaveForOne(thread.rights, call, right) === "denied");
  return missing === undefined ? undefined : denialOf(thread, missing);
}

/** Something to search is enough: what is found is held against each item's own right. */
function leaveForOne(rights: Rights, { tool }: AskedCall, right: string): ReturnType<typeof leaveFor> {
  if (tool !== "search" || !right.endsWith("*")) return leaveFor(rights, right);
  return anyOf(rights, right) ? "free" : "denied";
}

/** Whether an item may be found: who may search it, and load it too. */
export function mayFind(rights: Rights, type: string, id: string): boolean {
  return (["search", "load"] as const).every(
    (verb) => leaveFor(rights, itemRight(verb, type, id)) !== "denied",
  );
}

/**
 * Whether a verb is offered: where the directive names it, and something of it came through. A wide right such as
 * `execute.tool.*` does not name it, for the model has each of those tools already.
 */
export function isVerbOffered(rights: Rights, tool: string): boolean {
  const declared = [...rights.permissions, ...rights.ask];
  if (tool === EXECUTE_TOOL)
    return declared.includes(toolRight(tool)) && leaveFor(rights, toolRight(tool)) !== "denied";
  const all = itemRight(tool as "load" | "search", undefined, "*");
  return declared.some((right) => right.startsWith(all.slice(0, -1))) && anyOf(rights, all);
}
