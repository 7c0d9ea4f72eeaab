/**
 * Text of a model on its way to a platform (K10): it calls nobody, loads nothing, and no link says that it leads elsewhere
 * than it does. Who is to be told is named beside the text, never in it.
 */

import { partsOf } from "./chat-blocks.ts";
import { withoutCalls } from "./chat-text.ts";

/** `<https://a|https://b>`, as some platforms write a link. */
const PIPED = /<([a-z][a-z0-9+.-]{1,20}:[^\s|<>]{1,2000})\|([^<>\n]{0,500})>/gi;

export function harmless(text: string): string {
  // In a block of code nothing is fetched and no link is one; it stays as it was written.
  const parts = partsOf(text).map((part) =>
    part.language === undefined ? withoutTricks(part.text) : part.text,
  );
  return withoutCalls(parts.join(""));
}

function withoutTricks(text: string): string {
  const piped = text.replace(PIPED, (_, address: string, label: string) => honestLink(label, address));
  // Twice: a picture may stand in a link.
  return honestLinks(honestLinks(piped));
}

const LONGEST_LABEL = 500;
const LONGEST_ADDRESS = 2_000;

/** `[label](address)` and pictures, each looked at once: what a model writes must not cost time. */
function honestLinks(text: string): string {
  let out = "";
  let done = 0;
  for (let at = text.indexOf("]("); at >= 0; at = text.indexOf("](", at + 2)) {
    const link = linkAt(text, at, done);
    if (!link) continue;
    out += text.slice(done, link.from) + link.put;
    done = link.to;
  }
  return out + text.slice(done);
}

function linkAt(
  text: string,
  at: number,
  least: number,
): { from: number; to: number; put: string } | undefined {
  const head = text.slice(Math.max(least, at - LONGEST_LABEL), at);
  const label = head.slice(head.lastIndexOf("[") + 1);
  if (!head.includes("[") || /[\]\n]/.test(label)) return undefined;
  const tail = text.slice(at + 2, at + 2 + LONGEST_ADDRESS);
  const length = tail.search(/[)\n]/);
  if (length < 0 || tail[length] !== ")") return undefined;
  // What follows the address is a title.
  const inside = tail.slice(0, length).trim();
  const address = inside.startsWith("<")
    ? (inside.slice(1).split(">", 1)[0] ?? "")
    : (inside.split(/\s/, 1)[0] ?? "");
  const start = at - label.length - 1;
  const isPicture = start > least && text[start - 1] === "!";
  if (!isPicture && !/^[a-z][a-z0-9+.-]{1,20}:/i.test(address)) return undefined;
  const put = isPicture ? pictureText(label, address) : honestLink(label, address);
  return { from: isPicture ? start - 1 : start, to: at + 2 + length + 1, put };
}

/** A picture would be fetched by everybody who looks, with whatever the model put into its address. */
function pictureText(alt: string, address: string): string {
  const where = `\`${address.replaceAll("`", "'")}\``;
  return alt.trim() === "" ? where : `${alt} (${where})`;
}

/** A label that names no place is left alone; one that is empty, or names another, gives way to the truth. */
function honestLink(label: string, address: string): string {
  if (!/^(?:https?|mailto):/i.test(address)) return `${label} (\`${address.replaceAll("`", "'")}\`)`;
  const named = /(?:^|[\s/@])((?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,24})(?=$|[\s/:?#,.])/i.exec(label)?.[1];
  const isHonest = label.trim() !== "" && (named === undefined || isSameHost(named, address));
  return isHonest ? `[${label}](${address})` : `<${address}>`;
}

function isSameHost(named: string, address: string): boolean {
  const host = /^[a-z+.-]+:(?:\/\/)?(?:[^/@\s]{0,200}@)?([^/:?#\s]{1,255})/i.exec(address)?.[1] ?? "";
  return host.toLowerCase() === named.toLowerCase() || host.toLowerCase() === `www.${named.toLowerCase()}`;
}
