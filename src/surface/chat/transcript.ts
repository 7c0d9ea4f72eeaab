/** The transcript of a chat: what `export --md` makes of its threads, without the secrets that this machine knows. */
import { chainOf } from "../../core/chain-links.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { accountOf } from "../cli/handed/account.ts";
import { markdownPage } from "../cli/handed/markdown.ts";

/** More than any platform takes, and not so much that others wait for it. */
const MOST_CHARS = 8_000_000;

/** The newest threads, as many as there is room for. */
export async function transcriptOf({ store, clock, redact }: World, row: ThreadRow): Promise<string> {
  const rows = await chainOf(store, row).catch(() => [row]);
  const made = `Made ${new Date(clock.now()).toISOString()}`;
  let text = "";
  for (const each of [...rows].reverse()) {
    const { events, damage } = await store.load(each.thread_id);
    const account = accountOf({ row: each, events, damage: damage?.why ?? null });
    const page = markdownPage([account], text === "" ? made : "");
    if (text !== "" && text.length + page.length > MOST_CHARS) break;
    text = `${page}\n${text}`;
  }
  return redact?.(text) ?? text;
}
