/** How the output is to look, judged from the flags and the environment before anything is parsed: usage errors need it too. */

export interface Look {
  /** `jsonl` on a command that does not stream is the same single record as `json`. */
  readonly format: "human" | "json" | "jsonl";
  readonly ascii: boolean;
  readonly verbose: boolean;
  /** Lines may be drawn over: nobody asked for plain ones, and the terminal knows how. */
  readonly redraws: boolean;
  readonly colour: { readonly out: boolean; readonly err: boolean };
}

export interface Streams {
  readonly out: { readonly isTTY?: boolean };
  readonly err: { readonly isTTY?: boolean };
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readLook(argv: readonly string[], environment: Environment, streams: Streams): Look {
  const end = argv.indexOf("--");
  const flags = new Set(end < 0 ? argv : argv.slice(0, end));
  const isDumb = environment["TERM"] === "dumb";
  const colour = (isTerminal: boolean | undefined) => {
    if (flags.has("--no-color") || set(environment["NO_COLOR"])) return false;
    if (set(environment["FORCE_COLOR"]) && environment["FORCE_COLOR"] !== "0") return true;
    return isTerminal === true && !isDumb;
  };
  return {
    format: flags.has("--jsonl") ? "jsonl" : flags.has("--json") ? "json" : "human",
    ascii: flags.has("--ascii") || isDumb || !isUtf8(environment),
    redraws: !isDumb && !flags.has("--accessible") && !isOn(environment["ACCESSIBLE"]),
    verbose: flags.has("-v") || flags.has("--verbose"),
    colour: { out: colour(streams.out.isTTY), err: colour(streams.err.isTTY) },
  };
}

/** `ACCESSIBLE=0` says no, as people expect of a switch. */
function isOn(value: string | undefined): boolean {
  return set(value) && value !== "0" && value !== "false";
}

function set(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** A locale that nobody set says nothing: containers rarely set one, and their terminals do speak UTF-8. */
function isUtf8(environment: Environment): boolean {
  const locale = [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]].find(set);
  return locale === undefined || /utf-?8/i.test(locale);
}
