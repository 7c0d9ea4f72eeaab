/** The facts of a conversation that is made shorter where it stands (X1). */
import { charsOf, type Pressure, tokensIn, tokensOf } from "./context.ts";
import { logOf } from "./context-fold.ts";
import type { NewEvent } from "./event.ts";
import { toArray } from "./log.ts";
import { isWorthIt, mayDropOutputs } from "./strain.ts";
import type { Thread } from "./thread.ts";
import { outputsToDrop, type Patch, shortened } from "./view.ts";

/** What comes of a patch; one that does not make it shorter changes nothing, and says so. */
export function compactionEnd(thread: Thread, patch: Patch): NewEvent<"context_compaction_end"> {
  const { summary, pruneBeforeTurn, outputsBeforeTurn } = patch;
  const tokens_before = tokensOf(thread);
  const { chars } = logOf(shortened(toArray(thread.messages), patch), thread.shownChars);
  const tokens_after = tokensOf({ ...thread, chars });
  if (chars >= thread.chars) return notShorter(tokens_before, "it would not have become shorter");
  return {
    type: "context_compaction_end",
    ...{ tokens_before, tokens_after },
    ...(summary === undefined ? {} : { summary }),
    ...(pruneBeforeTurn === undefined ? {} : { prune_before_turn: pruneBeforeTurn }),
    ...(outputsBeforeTurn === undefined ? {} : { outputs_before_turn: outputsBeforeTurn }),
  };
}

export function notShorter(tokens: number, failed: string): NewEvent<"context_compaction_end"> {
  return { type: "context_compaction_end", tokens_before: tokens, tokens_after: tokens, failed };
}

/** Results that are long past, if leaving them out is worth it; undefined otherwise. */
export function withoutOldOutputs(
  thread: Thread,
  pressure: Pressure,
  keepTokens: number,
): NewEvent[] | undefined {
  if (!mayDropOutputs(thread, pressure)) return undefined;
  const { beforeTurn, freed } = outputsToDrop(toArray(thread.messages), {
    ...{ keepTokens, shownChars: thread.shownChars },
    tokensIn: (chars) => tokensIn(thread, chars),
  });
  if (!isWorthIt(freed, pressure)) return undefined;
  const { tokens, window } = pressure;
  const start: NewEvent = { type: "context_compaction_start", why: "pressure", tokens, window };
  return [start, compactionEnd(thread, { outputsBeforeTurn: beforeTurn })];
}

/** The turn from which the last exchanges stay, within so many tokens; undefined when nothing would go. */
export function turnToKeepFrom(thread: Thread, tokens: number): number | undefined {
  const messages = toArray(thread.messages);
  let used = 0;
  let from: number | undefined;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const said = messages[at];
    if (!said || said.role === "user") continue;
    used += tokensIn(thread, charsOf(said, thread.shownChars));
    if (used > tokens && said.turn !== undefined)
      return (from ?? said.turn) > said.turn ? from : said.turn + 1;
    from = said.turn ?? from;
  }
  return undefined;
}
