/**
 * `execute` (D2).
 *   X1. It is no tool of its own: a call of it is taken as the call that it means before anything looks at it, so rights,
 *       hooks, lanes, keys, questions, limits and loops are those of what is really called.
 *   X2. What cannot be taken so stays a call of `execute`, and is answered with a complaint: nothing is ever run by it.
 *   X3. The model reads its own words back: `asSaid` turns such a call round again.
 */
import { checkInput } from "./input.ts";
import { EXECUTE_TOOL, type ExecuteInput, ITEM_INPUTS } from "./item.ts";
import type { CallBlock } from "./message.ts";

interface Said {
  readonly tool: string;
  readonly input: unknown;
}

/** A call as everybody is to see it; `executes`: the type of item, where the model said it with `execute`. */
type Taken = Said & Pick<CallBlock, "executes">;

/** X1. Anything but a whole `execute` stays as it is. */
export function takenCall({ tool, input }: Said): Taken {
  const meant = tool === EXECUTE_TOOL ? executed(input) : { complaint: "" };
  if ("complaint" in meant) return { tool, input };
  const { item_type, item_id, parameters } = meant;
  return item_type === "directive"
    ? { tool: "thread_tool", input: { directive: item_id, inputs: parameters }, executes: "directive" }
    : { tool: item_id, input: parameters, executes: "tool" };
}

/** X3. */
export function asSaid({ tool, input, executes }: Taken): Said {
  if (executes === undefined) return { tool, input };
  const { directive, inputs } = (input ?? {}) as { directive?: unknown; inputs?: unknown };
  const meant =
    executes === "directive"
      ? { item_id: directive, parameters: inputs }
      : { item_id: tool, parameters: input };
  return { tool: EXECUTE_TOOL, input: { item_type: executes, ...meant } };
}

/** X2. Whatever is left of `execute` after it was taken has one. */
export function executeComplaint(input: unknown): string | undefined {
  const meant = executed(input);
  return "complaint" in meant ? meant.complaint : undefined;
}

function executed(input: unknown): ExecuteInput | { readonly complaint: string } {
  const checked = checkInput(ITEM_INPUTS.execute, input);
  if (checked.complaint !== undefined) return { complaint: checked.complaint };
  const { item_type, item_id } = checked.value;
  if (item_type === "knowledge" || item_type === "skill")
    return { complaint: `item_type: ${item_type} is nothing to execute; load it` };
  if (item_type === "tool" && item_id === EXECUTE_TOOL)
    return { complaint: "item_id: execute cannot execute itself" };
  // As they were given: the target checks them, as if it had been called itself.
  const { parameters = {} } = input as Partial<ExecuteInput>;
  return { ...checked.value, parameters };
}
