/** Names with `*`, `**`, `?`, `[abc]` and `{a,b}`, as a pattern that is matched in linear time. */
import { messageOf } from "../core/input.ts";
import { linearPattern, type Pattern } from "./linear-pattern.ts";

/** Without a slash it is about the last part of a path, wherever that stands. Throws what is wrong with it. */
export function globMatcher(glob: string): (path: string) => boolean {
  const bare = glob.replace(/^(\.?\/)+|\/+$/g, "");
  const pattern = patternFor(glob, `(?s)^${sourceOf(bare)}$`);
  return bare.includes("/")
    ? (path) => pattern.test(path)
    : (path) => pattern.test(path.slice(path.lastIndexOf("/") + 1));
}

function patternFor(glob: string, source: string): Pattern {
  try {
    return linearPattern(source);
  } catch (cause) {
    throw new Error(`The name ${JSON.stringify(glob.slice(0, 200))} cannot be used: ${messageOf(cause)}.`);
  }
}

/** In this order: the longest piece that fits is taken. A brace or bracket without its partner is itself. */
const PIECES: readonly (readonly [RegExp, (match: RegExpMatchArray) => string])[] = [
  [/^\*\*\//, () => "(?:[^/]*/)*"],
  [/^\*\*+/, () => ".*"],
  [/^\*/, () => "[^/]*"],
  [/^\?/, () => "[^/]"],
  [/^\[(!|\^)?(\]?[^\]/]*)\]/, ([, not, members]) => `[${not ? "^/" : ""}${escapeMembers(members ?? "")}]`],
  [/^\{([^{}]*,[^{}]*)\}/, ([, inside]) => `(?:${(inside ?? "").split(",").map(sourceOf).join("|")})`],
  [/^\\?(.)/su, ([, letter]) => escapeLetter(letter ?? "")],
];

function sourceOf(glob: string): string {
  let source = "";
  for (let rest = glob; rest !== ""; ) {
    const [match, make] = firstPiece(rest);
    source += make(match);
    rest = rest.slice(match[0].length);
  }
  return source;
}

function firstPiece(rest: string): [RegExpMatchArray, (match: RegExpMatchArray) => string] {
  for (const [pattern, make] of PIECES) {
    const match = rest.match(pattern);
    if (match) return [match, make];
  }
  return [[rest], () => escapeLetter(rest)]; // not reached: the last piece fits any letter
}

function escapeMembers(members: string): string {
  return members.replace(/[\\[\]^&~]/g, "\\$&");
}

function escapeLetter(letter: string): string {
  return letter.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
