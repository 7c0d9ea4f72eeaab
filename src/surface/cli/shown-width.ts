/** How many columns of a terminal a text takes: colours take none, marks over a letter none, CJK and most pictures two. */

const COLOUR = /\u001b\[[0-9;]*m/y;
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u;
/** Nothing else in it: one column for each character. */
const PLAIN = /^[\x20-\x7e]*$/;

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { sign, isColour } of signsOf(text)) if (!isColour) width += columnsOf(sign);
  return width;
}

/** At most so wide; what was cut ends with `…`, and colours end where it does. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let used = 0;
  let shown = "";
  let hasColour = false;
  for (const { sign, isColour } of signsOf(text)) {
    const columns = isColour ? 0 : columnsOf(sign);
    if (used + columns > Math.max(0, width - 1)) break;
    used += columns;
    shown += sign;
    hasColour ||= isColour;
  }
  return `${shown}${width > 0 ? "…" : ""}${hasColour ? "\u001b[0m" : ""}`;
}

export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Signs of one column that our own tables are full of, so that the large expressions are made only where they are needed. */
const NARROW = /^[\x20-\x7e\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u27bf]$/;

function columnsOf(sign: string): number {
  if (NARROW.test(sign)) return 1;
  if (NONE.test(sign)) return 0;
  return WIDE.test(sign) ? 2 : 1;
}

function* signsOf(text: string): Generator<{ sign: string; isColour: boolean }> {
  for (let at = 0; at < text.length; ) {
    COLOUR.lastIndex = at;
    const [colour] = COLOUR.exec(text) ?? [];
    const sign = colour ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    yield { sign, isColour: colour !== undefined };
    at += sign.length;
  }
}
