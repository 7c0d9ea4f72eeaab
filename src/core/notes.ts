/** What the thread that makes notes is given of a conversation (X2): one JSON value a line, so no text can pose as another. */
import type { Block, Message } from "./message.ts";
import { parseDollars } from "./money.ts";
import type { Price } from "./price.ts";
import { cutMiddle } from "./text.ts";

/** Of one result, one answer; a person's words are carried over whole and need no notes. */
const [LONGEST_RESULT, LONGEST_TEXT, LONGEST_WORDS] = [1_200, 4_000, 1_000];

/** The newest first where it does not all fit, told in order; what is missing is said. */
export function recordFor(messages: readonly Message[], mostChars: number): string {
  const lines: string[] = [];
  let chars = 0;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const said = messages[at];
    const told = said ? linesOf(said) : [];
    chars += told.reduce((sum, line) => sum + line.length + 1, 0);
    if (chars > mostChars && lines.length > 0) {
      lines.push(JSON.stringify({ left_out: `${at + 1} earlier messages` }));
      break;
    }
    lines.push(...told.reverse());
  }
  return lines.reverse().join("\n");
}

function linesOf(said: Message): string[] {
  switch (said.role) {
    case "user": {
      const who = said.origin === "runtime" ? "earlier_notes" : "person";
      const longest = who === "person" ? LONGEST_WORDS : LONGEST_TEXT * 4;
      return [JSON.stringify({ [who]: cutMiddle(said.text, longest) })];
    }
    case "assistant":
      return said.blocks.flatMap(lineOfBlock);
    case "tool":
      return said.results.map(({ tool, status, output }) =>
        JSON.stringify({ result_of: tool, status, output: cutMiddle(output, LONGEST_RESULT) }),
      );
  }
}

function lineOfBlock(block: Block): string[] {
  if (block.type === "text") return [JSON.stringify({ agent: cutMiddle(block.text, LONGEST_TEXT) })];
  if (block.type === "reasoning") return [];
  return [
    JSON.stringify({
      call: block.tool,
      input: cutMiddle(JSON.stringify(block.input ?? null), LONGEST_RESULT),
    }),
  ];
}

const NANO = 1e9;
/** Notes shorter than this are not worth their price. */
const ROOM_FOR_NOTES = 1_500;
const [FEWEST_CHARS, MOST_CHARS] = [8_000, 400_000];
/** Characters of a token that the hold counts with: never more. */
const CHARS_PER_TOKEN = 2.5;

/** As much of the record as the money for the notes can pay for, and a window of ordinary size holds. */
export function affordableRecord(spend: string, price: Price | undefined): number {
  if (!price) return MOST_CHARS;
  const left = (parseDollars(spend) ?? 0) - ROOM_FOR_NOTES * price.output;
  const chars = (left / Math.max(price.input, price.cache_write, 1 / NANO)) * CHARS_PER_TOKEN;
  return Math.floor(Math.min(MOST_CHARS, Math.max(FEWEST_CHARS, chars)));
}
