/**
 * A hook that runs a directive: the child that answers for it, and what its end comes to (§10, decision 8).
 *   H1. One child for one asking: it comes into being in the commit that says that it was asked.
 *   H2. Its outputs are the hook's answer, read as a command's are. Whatever else becomes of it is a problem: no yes.
 *   H3. Nobody waits for ever: it has its time, and one that stops for a person has not answered.
 */
import type { Event, NewEvent } from "./event.ts";
import type { Child, Family } from "./family.ts";
import type { ChildHook, Facts, Hook, HookEvent, HookResult } from "./hook.ts";
import { hookInputs } from "./hook-inputs.ts";
import { hookName } from "./hook-match.ts";
import { parseHookResult } from "./hook-result.ts";
import { oneLine } from "./text.ts";

/** Unless a hook says otherwise: a model has to be asked. */
export const CHILD_HOOK_TIMEOUT_SECONDS = 300;

/** As it stands in the fold from the start of the child until its answer is written down. */
export interface AskedHook {
  readonly id: string;
  readonly name: string;
  readonly where: string;
  readonly event: HookEvent;
  readonly point: string;
  /** What was known at the moment: hooks that come after it are held against the same. */
  readonly facts: Facts;
  /** Names of those of this moment that were asked before. */
  readonly before: readonly string[];
  readonly childId: string;
  readonly since: string;
}

/** Undefined for a child that a call started. */
export function askedHook(event: Event<"child_thread_started">): AskedHook | undefined {
  const { hook, point, child_id: childId, ts: since } = event;
  if (!hook || point === undefined) return undefined;
  const { id, where, event: moment, facts, asked_before: before } = hook;
  return { id, name: hookName(hook), where, event: moment, point, facts, before, childId, since };
}

type Asking = Required<Pick<NewEvent<"child_thread_started">, "point" | "hook">>;

/** What is written down of a hook whose directive is started. */
export function asking(
  { id, layer, where, event }: Hook,
  { key, facts }: { readonly key: string; readonly facts: Facts },
  before: readonly string[],
): Asking {
  return { point: key, hook: { id, layer, where, event, facts: { ...facts }, asked_before: [...before] } };
}

/** The moment and the hook that a child answers for. */
export function answersFor({ point, name }: Pick<AskedHook, "point" | "name">): string {
  return `${point} ${name}`;
}

/** How often a hook was asked at a moment of this name before: a limit can be reached again. */
export function timesAsked({ children }: Pick<Family, "children">, answers: string): number {
  return Object.values(children).filter((child) => child.answers === answers).length;
}

export function hookWait(hook: ChildHook, childId: string, now: number): NewEvent<"wait_started"> {
  return {
    type: "wait_started",
    call_id: null,
    thread_ids: [childId],
    require: 1,
    fail_fast: false,
    cancel_siblings_on_failure: false,
    include_suspended: true,
    until: new Date(now + hook.timeoutSeconds * 1_000).toISOString(),
    hook: hook.id,
  };
}

/** What the directive is handed: every fact under its own name where it declares such an input, and the hook's inputs. */
export function childInputs(hook: Hook, facts: Facts): Record<"inputs" | "offers", Record<string, unknown>> {
  const flat = Object.entries(facts).flatMap(([name, value]): [string, unknown][] =>
    name === "cost" || name === "limits"
      ? Object.entries(value as Facts).map(([field, item]) => [`${name}_${field}`, item])
      : [[name, value]],
  );
  const offers = { hook: hook.id, event: hook.event, ...Object.fromEntries(flat) };
  return { inputs: { ...hookInputs(hook, facts) }, offers };
}

/** H2. */
export function answerOf(
  { children }: Pick<Family, "children">,
  { childId }: AskedHook,
): HookResult | { readonly problem: string } {
  const child = Object.hasOwn(children, childId) ? children[childId] : undefined;
  if (child?.status !== "completed") return { problem: `${childId} ${unfinished(child)}` };
  const { outputs } = child;
  if (!outputs)
    return {
      problem: `${childId} handed back nothing; declare outputs: { action: { type: string } }`,
    };
  // A directive hands back all that it declares: what it leaves empty, it does not say.
  const answer = parseHookResult(
    Object.fromEntries(Object.entries(outputs).filter(([, part]) => !isEmpty(part))),
  );
  return "problem" in answer ? { problem: `${childId}: ${answer.problem}` } : answer;
}

/** In one sentence, as of a command. */
export function toldOf({ id, where }: Pick<Hook, "id" | "where">, why: string): string {
  return `The hook ${id} (${where}) decided nothing: ${why.replace(/[.\s]+$/, "")}.`;
}

function isEmpty(part: unknown): boolean {
  return part === "" || (typeof part === "object" && part !== null && Object.keys(part).length === 0);
}

function unfinished(child: Child | undefined): string {
  switch (child?.status) {
    case "error":
      return `failed: ${oneLine(child.error ?? "", 200)}`;
    case "cancelled":
      return `was stopped: ${oneLine(child.error ?? "", 200)}`;
    case "suspended":
      return `stopped for a person (${child.reason}): ${oneLine(child.error ?? "", 200)}`;
    default:
      return "did not answer in its time";
  }
}
