/** The arguments of a call, as text, made into a block. What cannot be read is kept and says why. */
import type { RawBlock } from "../core/message.ts";

/** Deeper values overflow the stack of whoever walks them. */
const MAX_DEPTH = 200;

export function callBlock(tool: string, text: string): RawBlock {
  if (text.trim() === "") return { type: "call", tool, input: {} };
  const unreadable = (inputError: string): RawBlock => ({ type: "call", tool, input: text, inputError });
  if (isTooDeep(text)) return unreadable(`The arguments are nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return { type: "call", tool, input: JSON.parse(text) };
  } catch (cause) {
    // Models write such things; the model is told and tries again.
    const why = cause instanceof Error ? cause.message : String(cause);
    return unreadable(`The arguments are not JSON: ${why}`);
  }
}

/** A loop and no expression: the arguments may be megabytes of one string. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\" && inString) at += 1;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
