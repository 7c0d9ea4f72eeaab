/** Children of a thread, as `show` tells of them. */
import type { Child } from "../../core/family.ts";
import { showDollars } from "../../core/money.ts";
import { oneLine } from "../../core/text.ts";
import { VIEWS } from "./glyph.ts";
import { shortId } from "./short-id.ts";
import type { Seen } from "./thread-object.ts";

/** As its own journal has them: what it was told of each. */
export function childObject({ id, directive, status, reason, error, cost }: Child) {
  return {
    thread_id: id,
    directive,
    status,
    suspend_reason: status === "suspended" ? (reason ?? null) : null,
    error: error ?? null,
    cost: cost ? { turns: cost.turns, tokens: cost.tokens, spend: showDollars(cost.spent) } : null,
  };
}

const MOST_CHILDREN = 10;

export function childLines({ thread }: Seen): string[] {
  const children = Object.values(thread.children);
  const lines = children.slice(-MOST_CHILDREN).map(({ id, status, reason, error, cost }) => {
    const why = status === "suspended" ? ` (${reason})` : "";
    const spent = cost ? ` · $${showDollars(cost.spent)}` : "";
    const said = error === undefined || status === "completed" ? "" : ` · ${oneLine(error, 80)}`;
    return `${VIEWS[status].glyph} ${shortId(id)} ${status}${why}${spent}${said}`;
  });
  const more = children.length - lines.length;
  return more > 0 ? [...lines, `and ${more} earlier: selvage tree ${thread.id}`] : lines;
}
