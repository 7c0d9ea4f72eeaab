/** `selvage --help`, and the list of commands, for who has loaded none of them. */
import { GLOBAL_OPTIONS } from "./asked.ts";
import { helpText } from "./help-page.ts";
import { LISTED } from "./listed.ts";

export const ABOUT = "Runs LLM agents so that no crash loses finished work or repeats it.";
export const USAGE = "[options] <command>";

/** Each command as a list shows it. */
export function listedCommands(): { readonly name: string; readonly term: string; readonly about: string }[] {
  return LISTED.trim()
    .split("\n")
    .map((row) => {
      const [term = "", about = ""] = row.split("\t");
      return { name: term.split(" ", 1)[0] ?? term, term, about };
    });
}

export function rootHelp(columns?: number): string {
  const options = [...GLOBAL_OPTIONS, ["-h, --help", "display help for command"] as const];
  const commands = listedCommands().map(({ term, about }) => [term, about] as const);
  const sections = [
    { title: "Options", rows: options },
    { title: "Commands", rows: commands },
  ];
  return helpText({ usage: `selvage ${USAGE}`, about: ABOUT, sections }, columns);
}
