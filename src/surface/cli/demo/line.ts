/** How a line of the demo is laid out, so that the eye finds who, what and how much in the same place. */

const WHO = 19;
const WHAT = 18;

/** A sign, who, what happens, and how much. */
export function row(sign: string, who: string, what = "", how = ""): string {
  return `${sign} ${who.padEnd(WHO)} ${what.padEnd(WHAT)} ${how}`.trimEnd();
}

/** The sign at the beginning of a line; the rest is plain. */
export function signOf(text: string): string | undefined {
  return /^([●✓✗✖↻‖⊘·?!◌])(?= )/u.exec(text)?.[1];
}

/** With the time on the left; what belongs to the line above stands under it. */
export function placed(text: string, at?: number): string {
  return ` ${at === undefined ? "    " : at.toFixed(1).padStart(4, "0")}  ${text}`;
}
