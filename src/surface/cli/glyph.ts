/** Signs where there is nothing but ASCII. */

export { VIEW_ORDER, VIEWS, type View } from "../../core/view-sign.ts";

const PUNCTUATION: Readonly<Record<string, string>> = {
  "…": "...",
  "·": "-",
  "→": "->",
  "←": "<-",
  "—": "-",
  "–": "-",
  "▲": "^",
  "│": "|",
  "├": "|",
  "└": "`",
  "─": "-",
  "✖": "X",
  "“": '"',
  "”": '"',
  "’": "'",
  "‖": "S",
  "↻": "r",
  "◐": "s",
  "●": "R",
  "◌": "w",
  "✗": "E",
  "✓": "C",
  "⊘": "X",
  "○": "o",
  "▓": "#",
  "▒": "=",
  "░": ".",
  "×": "x",
};
const OURS = new RegExp(`[${Object.keys(PUNCTUATION).join("")}]`, "g");

/** Only the signs that we print ourselves: what a model wrote stays as it is. */
export function toAscii(text: string): string {
  return text.replace(OURS, (sign) => PUNCTUATION[sign] ?? sign);
}
