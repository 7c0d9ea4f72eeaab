/** A run as Markdown. What models and tools wrote is quoted line by line: none of it can look like one of our headings. */
import { grouped } from "../../../core/text.ts";
import type { Account, Entry } from "./entry.ts";

export function markdownPage(accounts: readonly Account[], made: string): string {
  return `${accounts.map(section).join("\n")}\n---\n\n${made}\n`;
}

function section(account: Account): string {
  const { threadId, directive, model, status, from, until, turns, tokens, spend, damage } = account;
  const money = spend === null ? "—" : `$${spend}`;
  return [
    `# ${inline(threadId)}`,
    "",
    `- directive ${inline(directive)}, model ${inline(model)}`,
    `- ${inline(status)}, ${from} to ${until}`,
    `- ${turns} turns, ${grouped(tokens)} tokens, ${money}`,
    ...(damage === null ? [] : [`- **damaged**: ${inline(damage)}; what follows is what could be read`]),
    "",
    ...account.entries.map(item),
  ].join("\n");
}

function item({ ts, turn, word, text, body }: Entry): string {
  const where = turn === undefined ? "" : ` turn ${turn}`;
  const head =
    `**${ts.slice(11, 19)}${where} ${word}** ${body?.kind === "said" ? "" : inline(text)}`.trimEnd();
  return body ? `${head}\n\n${quoted(body.text)}\n` : `${head}\n`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line.replaceAll("<", "&lt;")}`)
    .join("\n");
}

/** As code and on one line: no sign in it means anything. */
function inline(text: string): string {
  return text === "" ? "" : `\`${text.replaceAll("`", "'").replace(/\s+/g, " ")}\``;
}
