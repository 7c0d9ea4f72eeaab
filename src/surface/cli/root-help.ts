/** `selvage --help`, as the parser would print it: without the parser, and without the commands it is about. */
import { GLOBAL_OPTIONS } from "./asked.ts";
import { LISTED } from "./listed.ts";

export const ABOUT = "Runs LLM agents so that no crash loses finished work or repeats it.";
export const USAGE = "[options] <command>";

/** What the parser takes for the width of a file or a pipe. */
const DEFAULT_WIDTH = 80;
/** Narrower columns are not wrapped. */
const LEAST_WIDTH = 40;

/** Each command as a list shows it, without loading it. */
export function listedCommands(): { readonly name: string; readonly term: string; readonly about: string }[] {
  return LISTED.trim()
    .split("\n")
    .map((row) => {
      const [term = "", about = ""] = row.split("\t");
      return { name: term.split(" ", 1)[0] ?? term, term, about };
    });
}

export function rootHelp(columns = DEFAULT_WIDTH): string {
  const options = [...GLOBAL_OPTIONS, ["-h, --help", "display help for command"] as const];
  const commands = listedCommands().map(({ term, about }) => [term, about] as const);
  const widest = Math.max(...[...options, ...commands].map(([term]) => term.length));
  const lines = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([term, about]) => line(term.padEnd(widest), about, columns));
  return [
    `Usage: selvage ${USAGE}`,
    "",
    ...wrapped(ABOUT, columns),
    "",
    "Options:",
    ...lines(options),
    "",
    "Commands:",
    ...lines(commands),
    "",
  ].join("\n");
}

function line(term: string, about: string, columns: number): string {
  const indent = 2 + term.length + 2;
  return `  ${term}  ${wrapped(about, columns - indent).join(`\n${" ".repeat(indent)}`)}`;
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
