/** A recording (asciicast v2) as an animated SVG: sharp text, light or dark as the reader likes, still where motion is not wanted. */

interface Line {
  readonly at: number;
  readonly text: string;
}

const CHAR = 7.8;
const ROW = 18;
const EDGE = 16;
/** How long the whole picture stays before it begins again. */
const STAY = 8;

const TITLE = "selvage demo: a tree of agents survives kill -9 within its budget";
const DESC =
  "Six agents build an app in three waves under one budget of three dollars, and the process that hosts them is really killed while a tool runs. After the recovery nothing finished is redone or paid for again, a limit asks for approval, and the tree ends within its budget.";

/** By the sign at the beginning of a line. */
const SIGNS: Readonly<Record<string, string>> = {
  "●": "b",
  "✓": "g",
  "✗": "r",
  "✖": "r",
  "!": "r",
  "↻": "y",
  "‖": "y",
  "?": "y",
};

const STYLE = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:var(--t)}
svg{--p:#fff;--e:#d0d7de;--t:#1f2328;--d:#656d76;--b:#0969da;--g:#1a7f37;--r:#cf222e;--y:#9a6700}
@media(prefers-color-scheme:dark){svg{--p:#0d1117;--e:#30363d;--t:#e6edf3;--d:#8b949e;--b:#58a6ff;--g:#3fb950;--r:#f85149;--y:#d29922}}
.p{fill:var(--p);stroke:var(--e)}.d{fill:var(--d)}.b{fill:var(--b)}.g{fill:var(--g)}.r{fill:var(--r)}.y{fill:var(--y)}`;

export function linesOf(cast: string): Line[] {
  const [, ...records] = cast.split("\n").filter((line) => line !== "");
  return records.map((record) => {
    const [at, , text] = JSON.parse(record) as [number, string, string];
    return { at, text: text.replace(/\r?\n$/, "") };
  });
}

export function pictureOf(cast: string): string {
  const lines = linesOf(cast);
  const columns = Math.max(...lines.map(({ text }) => [...text].length));
  const width = Math.ceil(columns * CHAR + 2 * EDGE);
  const height = lines.length * ROW + 2 * EDGE;
  const whole = (lines.at(-1)?.at ?? 0) + STAY;
  const shown = lines.flatMap((line, index) => (line.text === "" ? [] : [textOf(line, index)]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(TITLE)}</title>`,
    `<desc id="desc">${escaped(DESC)}</desc>`,
    `<style>${STYLE}`,
    `@media(prefers-reduced-motion:no-preference){${motion(lines, whole)}}</style>`,
    `<rect class="p" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...shown,
    "</svg>",
    "",
  ].join("\n");
}

/** Without motion every line is simply there. */
function motion(lines: readonly Line[], whole: number): string {
  return lines
    .map(({ at }, index) => {
      const from = Math.max(0, (at / whole) * 100);
      const name = `k${index}`;
      return `.${name}{animation:${name} ${whole.toFixed(1)}s step-end infinite}@keyframes ${name}{0%{opacity:0}${from.toFixed(2)}%{opacity:1}}`;
    })
    .join("");
}

function textOf({ text }: Line, index: number): string {
  const y = EDGE + (index + 1) * ROW - 5;
  const [, time = "", sign = "", rest = text] = /^( (?:\d\d\.\d|\s{4}) {2})(\S)?(.*)$/u.exec(text) ?? [];
  const colour = SIGNS[sign];
  const body =
    colour && rest.startsWith(" ") ? `<tspan class="${colour}">${escaped(sign)}</tspan>` : escaped(sign);
  const head = time === "" ? "" : `<tspan class="d">${time}</tspan>`;
  return `<text class="k${index}" x="${EDGE}" y="${y}" xml:space="preserve">${head}${body}${escaped(rest)}</text>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? sign);
}

/** The lines of a picture, as they were recorded. */
export function linesIn(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>(.*)<\/text>/g)].map(([, inside = ""]) =>
    inside
      .replace(/<[^>]*>/g, "")
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&amp;/g, "&"),
  );
}

/** What is the same in every run: no times, no numbers of processes, ports and events. Money stays. */
export function sameInEveryRun(line: string): string {
  return line
    .replace(/(?<![\d$.])\d+(\.\d+)?/g, "#")
    .replace(/\s+/g, " ")
    .trim();
}
