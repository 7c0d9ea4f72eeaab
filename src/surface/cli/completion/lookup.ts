/**
 * Values for the shell, looked up in a store that is only read: no lock is waited for, nothing is started or written,
 * and however many threads there are, few are looked at.
 */

import { HOOK_EVENTS } from "../../../core/hook.ts";
import { PAGES } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { settingLines } from "../../../core/settings.ts";
import { STATS_WAYS } from "../../../core/stats.ts";
import { hasEnded, isTerminal, STATUSES, type Status } from "../../../core/status.ts";
import { asksText } from "../approval-object.ts";
import { WAYS } from "../cost-lines.ts";
import { VIEW_ORDER, VIEWS } from "../glyph.ts";
import type { Glance } from "../house.ts";
import { age } from "../moment.ts";
import type { ValueKind } from "./kinds.ts";
import { SHELLS } from "./scripts.ts";
import type { Word } from "./words.ts";

/** More than fit on a screen help nobody. */
const MOST = 100;

const plain = (values: readonly string[], about = ""): Word[] => values.map((value) => ({ value, about }));

/** Words that no store is needed for; undefined when one is. */
export function fixedValues(
  kind: ValueKind,
  kinds: readonly string[],
  topics: readonly string[],
): Word[] | undefined {
  switch (kind) {
    case "setting":
      return settingLines().map(({ key, meaning }) => ({ value: key, about: meaning }));
    case "code":
      return Object.entries(PAGES).map(([value, { title }]) => ({ value, about: title }));
    case "kind":
      return plain(kinds);
    case "topic":
      return plain([...topics, "exit-codes"]);
    case "shell":
      return plain(SHELLS);
    case "view":
      return plain(VIEW_ORDER);
    case "event":
      return plain(HOOK_EVENTS);
    case "cost":
      return plain(WAYS);
    case "stats":
      return plain(STATS_WAYS);
    default:
      return undefined;
  }
}

export async function storedValues(
  { store, directives, inputs }: Glance,
  kind: ValueKind,
  {
    current,
    given,
    now,
  }: { readonly current: string; readonly given: readonly string[]; readonly now: number },
): Promise<Word[]> {
  if (kind === "directive") return plain(directives());
  if (kind === "input") {
    const used = given.slice(1).map((word) => word.split("=", 1)[0]);
    return inputs(given[0] ?? "")
      .filter(({ name }) => !used.includes(name))
      .map(({ name, about }) => ({ value: `${name}=`, about }));
  }
  if (kind === "approval") {
    const open = await store.approvals({ states: ["open"], prefix: current });
    return open
      .slice(0, MOST)
      .map((each) => ({ value: each.approval.approval_id, about: `${each.thread_id}: ${asksText(each)}` }));
  }
  const rows = await store.find({ prefix: current, statuses: statusesOf(kind), limit: MOST });
  return rows.filter(({ thread_id }) => !given.includes(thread_id)).map((row) => threadWord(row, now));
}

/** In which states the command makes sense. */
function statusesOf(kind: ValueKind): Status[] {
  switch (kind) {
    case "live":
      return STATUSES.filter((status) => !isTerminal(status));
    case "moving":
      return ["created", "running"];
    case "resumable":
      return STATUSES.filter((status) => status === "suspended" || hasEnded(status));
    default:
      return STATUSES;
  }
}

function threadWord({ thread_id, status, updated_at }: ThreadRow, now: number): Word {
  return {
    value: thread_id,
    about: `${VIEWS[status].glyph} ${status} ${age(now - Date.parse(updated_at))} ago`,
  };
}
