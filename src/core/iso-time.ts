/** Wall time as text. Many facts of one moment are written down one after the other: the last answer is kept. */
let lastMs = Number.NaN;
let lastText = "";

export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
