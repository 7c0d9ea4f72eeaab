/**
 * Wall time as text. Many facts of one moment are written down or read one after the other: the last answer is kept, and
 * of the last second what all of its times begin with.
 */
let lastMs = Number.NaN;
let lastText = "";
let lastSecond = Number.NaN;
let beginning = "";

export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = textOf(ms);
    lastMs = ms;
  }
  return lastText;
}

function textOf(ms: number): string {
  if (!Number.isInteger(ms)) return new Date(ms).toISOString();
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond) {
    beginning = new Date(ms).toISOString().slice(0, -4);
    lastSecond = second;
  }
  return `${beginning}${String(ms - second * 1_000).padStart(3, "0")}Z`;
}
