/**
 * Rights as text (K1): `selvage.<verb>.<kind>.<subject>`, exact or a prefix that ends in `*`, and nothing else, so that
 * comparing rights is comparing strings.
 */
import { closest } from "./closest.ts";

const VERBS = ["execute", "search", "load", "sign"] as const;
/** `skill` beside those of the specification: a skill is loaded and found like knowledge, and is not the same. */
const KINDS = ["tool", "directive", "knowledge", "skill", "process"] as const;
const ROOT = "selvage.";

/** What opens the network to commands in the sandbox (K6). */
export const NETWORK_RIGHT = `${ROOT}execute.process.network`;

type ParsedRight = { readonly right: string } | { readonly why: string };

/** The full form of a right. `selvage.` may be left out, `rye.` means the same, and an id's `/` is written `.`. */
export function parseRight(text: string): ParsedRight {
  const path = text.replace(/^(selvage|rye)\./, "").replaceAll("/", ".");
  const isPrefix = path.endsWith("*");
  const segments = (isPrefix ? path.slice(0, -1) : path).split(".");
  if (segments.some((segment) => segment.includes("*"))) return { why: "a * may stand only at the end" };
  // The last segment of a prefix is still open: it may be the beginning of a word, or nothing yet.
  const closed = isPrefix ? segments.slice(0, -1) : segments;
  if (closed.some((segment) => segment === "")) return { why: "a part between two dots is empty" };
  if (segments.some((segment) => !/^[A-Za-z0-9_-]*$/.test(segment)))
    return { why: "a right has letters, digits, _ and -, with dots between its parts" };
  const why =
    wordProblem("verb", VERBS, segments[0] ?? "", closed.length > 0) ?? kindProblem(segments, closed);
  if (why !== undefined) return { why };
  if (!isPrefix && segments.length < 3) return { why: `it ends too early; ${path}.* covers all of them` };
  return { right: ROOT + path };
}

/** Whether everything that `right` names is named by `pattern` too. Both in their full form. */
export function covers(pattern: string, right: string): boolean {
  return pattern.endsWith("*") ? right.startsWith(pattern.slice(0, -1)) : pattern === right;
}

/** Whether all that it names is calls of tools. */
export function isAboutTools(text: string): boolean {
  const parsed = parseRight(text);
  return "right" in parsed && covers(toolRight("*"), parsed.right);
}

/** What a call of this tool needs. */
export function toolRight(tool: string): string {
  return `${ROOT}execute.tool.${tool.replaceAll("/", ".")}`;
}

/** The tool that a right names, if it names exactly one. */
export function toolNamed(right: string): string | undefined {
  const name = right.startsWith(toolRight("")) ? right.slice(toolRight("").length) : "";
  return name === "" || name.endsWith("*") ? undefined : name;
}

/** What starting this directive needs, beside the tool that starts it. */
export function directiveRight(directive: string): string {
  return `${ROOT}execute.directive.${directive.replaceAll("/", ".")}`;
}

/** As people write it. */
export function shortRight(right: string): string {
  return right.startsWith(ROOT) ? right.slice(ROOT.length) : right;
}

/** `search.*` from `<execute action="search.*"/>`: an action that begins with a verb brings its own. */
export function rightOfAction(verb: string, action: string): string {
  const [first = ""] = action.split(".");
  return isVerb(first) ? action : `${verb}.${action}`;
}

export function isVerb(word: string): boolean {
  return (VERBS as readonly string[]).includes(word);
}

function kindProblem(segments: readonly string[], closed: readonly string[]): string | undefined {
  const [, kind] = segments;
  return kind === undefined ? undefined : wordProblem("kind", KINDS, kind, closed.length > 1);
}

function wordProblem(
  what: string,
  words: readonly string[],
  word: string,
  isWhole: boolean,
): string | undefined {
  if (isWhole ? words.includes(word) : words.some((known) => known.startsWith(word))) return undefined;
  const [meant] = closest(word.slice(0, 40), words);
  const hint = meant ? `did you mean "${meant}"?` : `there are ${words.join(", ")}`;
  return `"${word.slice(0, 40)}" is no ${what}; ${hint}`;
}
