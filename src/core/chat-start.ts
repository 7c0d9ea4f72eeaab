/** What it means that a chat platform, or a talk, did not start: somebody has to mend its settings, or only time has to pass. */
import { readChatFailure } from "./chat-failure.ts";
import { Problem, type ProblemCode } from "./problem.ts";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export type AfterChatStart = { readonly next: "end" } | { readonly next: "retry"; readonly afterMs: number };

/**
 * A token that the platform refuses is refused again: whoever just started it is told at once. Later nobody sits there any
 * more, and a host is not ended for one platform. What is not known is taken for a bad moment.
 */
export function afterChatStart(error: unknown, tries: number): AfterChatStart {
  const { kind, waitMs } = readChatFailure(error);
  if (tries === 0 && (kind === "forbidden" || kind === "not_found")) return { next: "end" };
  const own = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10));
  return { next: "retry", afterMs: Math.max(own, Math.min(waitMs ?? 0, LONGEST_WAIT_MS)) };
}

const UNFIT: readonly ProblemCode[] = [
  ...(["E_DIRECTIVE_NOT_FOUND", "E_DIRECTIVE_INVALID", "E_CONFIG_INVALID", "E_SCRIPT_INVALID"] as const),
  ...(["E_TOOL_INVALID", "E_MODEL_UNKNOWN", "E_AUTH", "E_UNTRUSTED", "E_SANDBOX", "E_USAGE"] as const),
  ...(["E_NOT_BROUGHT", "E_BUDGET_REFUSED"] as const),
];

/**
 * Why a talk cannot begin or go on before somebody has mended something: people are told, for a message that is delivered again
 * would meet the same. Undefined: it was a bad moment, and the platform comes again.
 */
export function unfitForTalk(error: unknown): string | undefined {
  return error instanceof Problem && UNFIT.includes(error.code) ? error.message : undefined;
}
