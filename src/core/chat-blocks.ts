/** Blocks of code in Markdown, found line by line: whatever a model writes, in one pass. */

export interface TextPart {
  readonly text: string;
  /** The word after the fence, of a block of code that is closed. */
  readonly language?: string | undefined;
}

/** One after the other they are the text. A block that nobody closed is none. */
export function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let plain: string[] = [];
  let block: string[] | undefined;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (block) {
      block.push(line);
      if (!/^```\s*$/.test(line)) continue;
      const language = /^```([\w+-]{0,30})/.exec(block[0] ?? "")?.[1] ?? "";
      parts.push({ text: plain.join("") }, { text: block.join(""), language });
      plain = [];
      block = undefined;
    } else if (line.startsWith("```")) block = [line];
    else plain.push(line);
  }
  return [...parts, { text: plain.join("") + (block?.join("") ?? "") }];
}
