/** Text from models and tools, made fit for people and for the next request. */

// Escape sequences (CSI, OSC, and single-character ones), then every other control byte but tab and newline,
// and the characters that reorder what is shown.
const SEQUENCES =
  /\u001b\[[0-9;?<=>!]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|\u001b[ -/]*[0-~]?/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** Not seen, and obeyed or misread all the same: control bytes above ASCII, and everything that only formats. */
const HIDDEN = /[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu;

export function stripControls(text: string): string {
  return text.replace(SEQUENCES, "").replace(CONTROLS, "");
}

/** JSON text in which everything hidden is spelled out: the same value, and what is read is all there is. */
export function spelledOut(json: string): string {
  return json.replace(HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => hidden.charCodeAt(at).toString(16).padStart(4, "0"))
      .map((code) => `\\u${code}`)
      .join(""),
  );
}

/** One line for a table or a log. */
export function oneLine(text: string, width = 100): string {
  const flat = stripControls(text).replace(/\s+/g, " ").trim();
  return flat.length > width ? `${flat.slice(0, Math.max(0, width - 1))}…` : flat;
}

/** Keeps head and tail of a long output and says what is left out; the journal keeps all of it. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(text.length - half)}`;
}

/** Lone surrogates cannot be encoded as UTF-8: they would come back changed. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** `1,800`, as `toLocaleString("en-US")` writes it; that takes some 15 ms the first time a process asks for it. */
export function grouped(value: number): string {
  const [whole = "", part] = String(Math.round(value * 1_000) / 1_000).split(".");
  const groups = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return part === undefined ? groups : `${groups}.${part}`;
}
