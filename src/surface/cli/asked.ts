/**
 * What a command line asks for, as far as that can be seen without the parser, so that nothing else has to be loaded.
 * Whoever is not sure says so: then everything is loaded, and the parser decides.
 */

/** What every command understands, before or after its name. */
export const GLOBAL_OPTIONS: readonly (readonly [flags: string, about: string])[] = [
  ["-C, --project <folder>", "work in this folder instead of here"],
  ["--json", "one JSON document on stdout"],
  ["--jsonl", "JSON lines; the last one is the result"],
  ["--plain", "tab-separated, no header"],
  ["-q, --quiet", "only what was asked for; with ps: only ids"],
  ["-v, --verbose", "more about failures"],
  ["--no-color", "no colours"],
  ["--ascii", "plain ASCII signs"],
  ["--accessible", "nothing is redrawn: one plain line for each change"],
  ["--no-input", "never ask"],
  ["-y, --yes", "answer confirmations with yes"],
  ["--version", "print the version"],
];

const SWITCHES = GLOBAL_OPTIONS.filter(([flags]) => !flags.includes("<")).flatMap(([flags]) =>
  flags.split(", "),
);
const HELP = ["-h", "--help"];

export function asksVersion(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--version");
}

/** The command whose help is asked for, `proc logs` say, and nothing else; empty for the list of all. */
export function helpAsked(argv: readonly string[]): string | undefined {
  const words = argv.filter((word) => !SWITCHES.includes(word));
  const end = words.findIndex((word) => HELP.includes(word));
  if (end < 0 || words.slice(end).some((word) => !HELP.includes(word))) return undefined;
  const path = words.slice(0, end);
  return path.some((word) => word.startsWith("-")) ? undefined : path.join(" ");
}

/** The word in the place of a command; null when there is none, undefined when only the parser can tell. */
export function commandAsked(argv: readonly string[]): string | null | undefined {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "-C" || word === "--project") at += 1;
    else if (!word.startsWith("-")) return word;
    else if (!SWITCHES.includes(word)) return undefined;
  }
  return null;
}
