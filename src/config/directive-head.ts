/** What counts in the file of a directive for trust (F7): its head, in either form. Its prose may change freely. */

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const OPEN = /^ {0,3}(`{3,}|~{3,})[ \t]*xml/i;
const CLOSE = /^ {0,3}(`{3,}|~{3,})[ \t]*\r?$/;

/** The YAML, and every fence ```xml; a fence that nothing closes goes on to the end. */
export function headOf(text: string): readonly string[] {
  return [FRONT_MATTER.exec(text)?.[1] ?? "", ...xmlFences(text)];
}

/** One pass over the lines. It must see at least what the reader of directives sees as its fence. */
function xmlFences(text: string): string[] {
  const found: string[] = [];
  let open: { readonly mark: string; readonly lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    if (!open) {
      const mark = OPEN.exec(line)?.[1];
      if (mark) open = { mark, lines: [] };
      continue;
    }
    if (CLOSE.exec(line)?.[1]?.startsWith(open.mark)) {
      found.push(open.lines.join("\n"));
      open = undefined;
    } else open.lines.push(line);
  }
  return open ? [...found, open.lines.join("\n")] : found;
}
