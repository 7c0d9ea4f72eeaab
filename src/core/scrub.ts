/** Text from outside without what must not be shown: keys, paths of this machine, stack traces (E11). */
import { withoutShapes } from "./secret-shapes.ts";
import { oneLine } from "./text.ts";

type Cut = readonly [pattern: RegExp, put: string];

/** More is never shown, and a cap keeps hostile text from costing time. */
const READ_CHARS = 2_000;

const STACKS: readonly Cut[] = [
  [/Traceback \(most recent call last\):?/g, ""],
  [/\bFile "[^"]{0,300}", line \d+(?:, in \S{1,100})?/g, ""],
  [/\s+at (?:[^\s()]{1,100} ){0,3}\(?(?:file:|node:|\/|[A-Za-z]:\\|<)[^\s()]{0,300}:\d+(?::\d+)?\)?/g, ""],
  [/\s+at [\w.<>$]{1,100} \((?:<anonymous>|native)\)/g, ""],
];

/** Beyond what `withoutShapes` knows: in a sentence about a failure a word too many may go. */
const KEYS: readonly Cut[] = [
  [/\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|glpat|nvapi|pplx|r8)[-_][\w*.-]{6,}/g, "[secret]"],
  [/\bAIza[\w-]{20,}|\bAKIA[A-Z0-9]{12,}|\beyJ[\w-]{10,}\.[\w.-]{5,}/g, "[secret]"],
  // A digit tells a key from a word: "bearer authentication" is none.
  [/\b(bearer|basic)\s+(?=[^\s\d]{0,80}\d)[\w.~+/=*-]{8,}/gi, "$1 [secret]"],
  [
    /((?:api[-_ ]?key|key|token|secret|password)["']?\s?[=:]\s?["']?)(?=[^\s\d]{0,80}\d)[^\s"',;&)]{6,}/gi,
    "$1[secret]",
  ],
  [/(\/\/)[^\s/@]{1,200}@/g, "$1"],
];

/** Paths of a server's own interface (`/v1/messages`) stay: they help, and are not of this machine. */
const PATHS: readonly Cut[] = [
  [/\bfile:\/\/\S+/g, "[path]"],
  [/(?<![\w:/.~-])~?\/(?!v\d|api\/)(?:[\w.@+-]{1,200}\/){1,40}[\w.@+-]{0,200}(?::\d+){0,2}/g, "[path]"],
  [/\b[A-Za-z]:\\[^\s"'<>|]{1,300}|\\\\[\w.-]{1,100}\\[^\s"'<>|]{1,300}/g, "[path]"],
];

/** One line. */
export function scrubbed(text: string, width = 600): string {
  const cut = [...STACKS, ...KEYS, ...PATHS].reduce(
    (left, [pattern, put]) => left.replace(pattern, put),
    withoutShapes(text.slice(0, READ_CHARS)),
  );
  return oneLine(cut, width);
}
