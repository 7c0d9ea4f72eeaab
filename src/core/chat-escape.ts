/**
 * Text of a model on its way to a platform (K10): it calls nobody, loads nothing, and no link says that it leads elsewhere
 * than it does. Who is to be told is named beside the text, never in it.
 */

/** Not seen, and enough that a platform does not take the word for a call. */
const GAP = "\u200b";
const CALLS = /@(?=(?:everyone|here|channel|all)\b)|<(?=(?:[!@]|users\/)[^\s<>]{1,200}>)/gi;
/** A picture would be fetched by everybody who looks, with whatever the model put into its address. */
const IMAGES = /!\[([^\]\n]{0,500})\]\((?:<([^>\n]{0,2000})>|([^)\s]{0,2000}))[^)\n]{0,200}\)/g;
const LINKS =
  /(?<!!)\[([^\]\n]{0,500})\]\(\s{0,9}<?([a-z][a-z0-9+.-]{1,20}:[^)\s>]{0,2000})>?[^)\n]{0,200}\)/gi;
/** `<https://a|https://b>`, as some platforms write a link. */
const PIPED = /<([a-z][a-z0-9+.-]{1,20}:[^\s|<>]{1,2000})\|([^<>\n]{0,500})>/gi;

const BLOCKS = /(^```[\s\S]*?^```[^\S\n]*$)/m;

export function harmless(text: string): string {
  // In a block of code nothing is fetched and no link is one; it stays as it was written.
  const parts = text.split(BLOCKS).map((part, at) => (at % 2 === 1 ? part : withoutTricks(part)));
  return parts.join("").replace(CALLS, (mark) => `${mark}${GAP}`);
}

function withoutTricks(text: string): string {
  return text
    .replace(IMAGES, (_, alt: string, pointed = "", bare = "") => pictureText(alt, pointed || bare))
    .replace(PIPED, (_, address: string, label: string) => honestLink(label, address))
    .replace(LINKS, (_, label: string, address: string) => honestLink(label, address));
}

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
