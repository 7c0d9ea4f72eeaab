/**
 * Secrets that nobody told us about, by their looks. Only what is hardly ever anything else: a mark in the place of
 * something harmless costs the reader more than it protects.
 *   S1. One pass in linear time: an alternative begins with fixed letters where no word goes on, and nothing that
 *       repeats without bound is followed by something that may fail.
 */

export const SECRET_MARK = "[secret]";

/** At the start of a word, also where that is written after `\n` in JSON. */
const START = "(?:(?<![\\w-])|(?<=\\\\[nrt]))";
/** Keys have digits; `sk-folding-cube-container` has none. */
const DIGIT = "(?=[\\w-]{0,60}\\d)";

const TOKENS = [
  `sk-${DIGIT}(?:[a-z0-9]{2,12}-){0,3}\\w{16,}[\\w-]*`,
  "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
  "gh[pousr]_[A-Za-z0-9]{30,}",
  "github_pat_\\w{40,}",
  `glpat-${DIGIT}[\\w-]{20,}`,
  `xox[abeprs]-${DIGIT}[\\w-]{16,}`,
  "A[KS]IA[A-Z0-9]{16}(?!\\w)",
  "AIza[\\w-]{35}(?![\\w-])",
  `(?:hf|gsk|npm|r8)_${DIGIT}[A-Za-z0-9]{30,}`,
  `(?:xai|nvapi|pplx)-${DIGIT}[\\w-]{30,}`,
  "eyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]{10,}",
];

const BEARER = "(?<word>(?:[Bb]earer|[Bb]asic) {1,4})(?=[^\\s\\d]{0,80}\\d)[\\w.~+/-]{16,}=*";

/** Line breaks may be spelled out. Lines of its head (`Proc-Type: …`) stand before the key. */
const BREAKS = "(?:\\s|\\\\[nr]){0,8}";
const PRIVATE_KEY = [
  "-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----",
  `(?:${BREAKS}(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{3,20}: [^\\n\\\\]{0,100}))*`,
  `(?:${BREAKS}[A-Za-z0-9+/=]{0,64}${BREAKS}-----END [A-Z0-9 ]{1,60}-----)?`,
].join("");

/** In every shape, and rarely elsewhere: a text without any of these is not looked at more closely. */
const TELLTALE =
  /(?:sk|at|x[abeprs]|ai|pi|lx)-|(?:[sr]k|h[pousr]|at|hf|pm|r8)_|A[KS]IA|AIza|eyJ|(?:arer|asic) |-----BEGIN /;
/** `sk-` and the sixteen characters after it. */
const SHORTEST_SHAPE = 19;

const SHAPES = new RegExp(`${START}(?:${TOKENS.join("|")})|${BEARER}`, "g");
const PRIVATE_KEYS = new RegExp(PRIVATE_KEY, "g");

/** The word before a token in a header stays: it tells what was there. */
export function withoutShapes(text: string): string {
  if (text.length < SHORTEST_SHAPE || !TELLTALE.test(text)) return text;
  // Key blocks first: what follows one at once begins a word only when the block is gone.
  const rest = text.includes("-----BEGIN ") ? text.replace(PRIVATE_KEYS, SECRET_MARK) : text;
  return rest.replace(SHAPES, (...found) => `${found.at(-1)?.word ?? ""}${SECRET_MARK}`);
}
