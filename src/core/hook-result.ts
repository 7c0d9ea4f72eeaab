/** What a hook answered, read strictly: a word that is not understood decides nothing, and is told. */
import { closest } from "./closest.ts";
import { HOOK_ACTIONS, type HookAction, type HookResult } from "./hook.ts";
import { oneLine } from "./text.ts";

/** Parts of an answer that change what the model sees: with one of them, no action means `continue`. */
const PATCHES = ["context", "compaction"];
const KEYS = ["action", "message", ...PATCHES];
const MOST_CHARS = 65_536;

export function parseHookResult(value: unknown): HookResult | { readonly problem: string } {
  if (!isMapping(value)) return { problem: `it answered ${kindOf(value)}, not a JSON object` };
  const { message, context } = value;
  const isPatch = PATCHES.some((patch) => Object.hasOwn(value, patch));
  const action = value["action"] === undefined && isPatch ? "continue" : value["action"];
  const stranger = Object.keys(value).find((key) => !KEYS.includes(key));
  if (stranger !== undefined) return { problem: `it answered ${unknownWord("key", stranger, KEYS)}` };
  if (!isAction(action)) return { problem: actionProblem(action) };
  if (message !== undefined && !isText(message))
    return { problem: `its message must be text of at most ${MOST_CHARS} characters` };
  const added = context === undefined ? undefined : contextMessage(context);
  if (context !== undefined && added === undefined)
    return { problem: `its context must be {"message": text of at most ${MOST_CHARS} characters}` };
  const shorter = value["compaction"] === undefined ? undefined : compactionOf(value["compaction"]);
  if (shorter && "problem" in shorter) return shorter;
  return {
    action,
    ...(message === undefined ? {} : { message }),
    ...(added === undefined ? {} : { context: { message: added } }),
    ...(shorter === undefined ? {} : { compaction: shorter }),
  };
}

function compactionOf(value: unknown): NonNullable<HookResult["compaction"]> | { readonly problem: string } {
  const wrong = { problem: `its compaction must be {"summary": text, "prune_before_turn": turn}` };
  if (!isMapping(value)) return wrong;
  const { summary, prune_before_turn: pruneBeforeTurn, ...others } = value;
  if (!isText(summary) || summary.trim() === "" || Object.keys(others).length > 0) return wrong;
  if (pruneBeforeTurn === undefined) return { summary };
  return Number.isSafeInteger(pruneBeforeTurn) && Number(pruneBeforeTurn) >= 0
    ? { summary, pruneBeforeTurn: Number(pruneBeforeTurn) }
    : wrong;
}

function contextMessage(context: unknown): string | undefined {
  if (!isMapping(context) || Object.keys(context).join() !== "message") return undefined;
  return isText(context["message"]) ? context["message"] : undefined;
}

function actionProblem(action: unknown): string {
  if (action === undefined) return `its answer has no action; there are ${HOOK_ACTIONS.join(", ")}`;
  return typeof action === "string"
    ? `it answered ${unknownWord("action", action, HOOK_ACTIONS)}`
    : `its action must be one of ${HOOK_ACTIONS.join(", ")}`;
}

function unknownWord(kind: string, word: string, known: readonly string[]): string {
  const [meant] = closest(word.slice(0, 40).toLowerCase(), known);
  const hint = meant ? `did it mean "${meant}"?` : `there are ${known.join(", ")}`;
  return `an unknown ${kind} ${JSON.stringify(oneLine(word, 40))}; ${hint}`;
}

function isAction(value: unknown): value is HookAction {
  return HOOK_ACTIONS.some((action) => action === value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MOST_CHARS;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}
