/** The fenced XML block of a directive, found in its Markdown. */
import type { Fault } from "./place.ts";

export interface XmlFence {
  readonly before: string;
  readonly xml: string;
  readonly xmlAt: number;
  readonly after: string;
  readonly afterAt: number;
}

const OPEN = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/;
const CLOSE = /^ {0,3}(`{3,}|~{3,})[ \t]*\r?$/;
const DIRECTIVE = /<directive(?=[\s/>])/;

interface Block {
  readonly info: string;
  readonly mark: string;
  readonly at: number;
  readonly contentAt: number;
  readonly contentEnd: number;
  /** Where the text goes on; undefined when no line closes the block. */
  readonly end?: number;
}

/** Undefined when the file has no fence ```xml with a <directive> in it. */
export function findXmlFence(text: string): XmlFence | { readonly fault: Fault } | undefined {
  const [block, second] = blocks(text).filter(
    ({ info, contentAt, contentEnd }) =>
      info.toLowerCase() === "xml" && DIRECTIVE.test(text.slice(contentAt, contentEnd)),
  );
  if (!block) return undefined;
  if (block.end === undefined)
    return {
      fault: { at: block.at, message: `the fence that starts here is not closed by a line ${block.mark}` },
    };
  if (second)
    return { fault: { at: second.at, message: "a second directive starts here; one file holds one" } };
  return {
    before: text.slice(0, block.at),
    xml: text.slice(block.contentAt, block.contentEnd),
    xmlAt: block.contentAt,
    after: text.slice(block.end),
    afterAt: block.end,
  };
}

/** One pass over the lines: what stands inside a block opens no other. */
function blocks(text: string): Block[] {
  const found: Block[] = [];
  let open: Block | undefined;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, newline < 0 ? text.length : newline);
    if (open) {
      const mark = CLOSE.exec(line)?.[1];
      if (mark?.startsWith(open.mark)) {
        found.push({ ...open, contentEnd: at, end: next });
        open = undefined;
      }
    } else {
      const [, mark, info = ""] = OPEN.exec(line) ?? [];
      if (mark) open = { info, mark, at, contentAt: next, contentEnd: text.length };
    }
    at = next;
  }
  return open ? [...found, open] : found;
}
