/**
 * Help as the parser would print it: without the parser, and without the commands it is about. What it says was taken
 * from them by `npm run docs`, and a test holds it against what they say.
 */
import { GLOBAL_OPTIONS } from "./asked.ts";

export interface HelpPage {
  readonly usage: string;
  readonly about: string;
  readonly sections: readonly HelpSection[];
}

interface HelpSection {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

type HelpRow = readonly [term: string, about: string];

/** What the parser takes for the width of a file or a pipe. */
const DEFAULT_WIDTH = 80;
/** Narrower columns are not wrapped. */
const LEAST_WIDTH = 40;

export function helpText({ usage, about, sections }: HelpPage, columns = DEFAULT_WIDTH): string {
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const widest = Math.max(...shown.flatMap(({ rows }) => rows.map(([term]) => term.length)));
  const parts = shown.map(({ title, rows }) => [
    `${title}:`,
    ...rows.map(([term, text]) => rowText(term, text, widest, columns)),
  ]);
  const head = [[`Usage: ${usage}`], ...(about === "" ? [] : [wrapped(about, columns)])];
  return [...head, ...parts].map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** One after the other, each `# path of the command`, its usage, what it is for, and rows below their titles. */
export function readPage(text: string, path: string): HelpPage | undefined {
  const found = text.split("\n\n").find((block) => block.trim().startsWith(`# ${path}\n`));
  if (found === undefined) return undefined;
  const [, usage = "", about = "", ...rest] = found.trim().split("\n");
  const sections: { title: string; rows: HelpRow[] }[] = [];
  for (const line of rest) {
    const [term = "", meaning] = line.split("\t");
    if (meaning === undefined) sections.push({ title: term, rows: [] });
    else sections.at(-1)?.rows.push([term, meaning]);
  }
  const isBelow = ({ title }: HelpSection) => title === "Commands";
  const everywhere = { title: "Global Options", rows: GLOBAL_OPTIONS };
  return {
    ...{ usage, about },
    sections: [
      ...sections.filter((section) => !isBelow(section)),
      everywhere,
      ...sections.filter((section) => isBelow(section)),
    ],
  };
}

function rowText(term: string, about: string, widest: number, columns: number): string {
  const indent = 2 + widest + 2;
  if (about === "") return `  ${term}`;
  return `  ${term.padEnd(widest)}  ${wrapped(about, columns - indent).join(`\n${" ".repeat(indent)}`)}`;
}

function wrapped(text: string, width: number): string[] {
  if (width < LEAST_WIDTH) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
