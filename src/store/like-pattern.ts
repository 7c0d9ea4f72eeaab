/**
 * A text as patterns of SQLite's LIKE, so that its JSON is dropped where it cannot be: a row that is kept need not match, a
 * row that is dropped never does. LIKE knows the case of ASCII alone, so every other letter that has one fits anything.
 */
import { inJson } from "../core/search-query.ts";

/** In no JSON, and so in no text as it is looked for. */
export const ESCAPE = "\u0001";

/** LIKE may take the length of a text times that of its pattern; a piece of the text is enough to drop most rows. */
const LONGEST = 32;
/** Fewer signs than this would be found nearly everywhere. */
const SHORTEST = 3;

/** K and S are also the lower case of signs beyond ASCII: of the Kelvin sign and of the long s. */
const BEYOND = /[kKsS]|[^\u0000-\u007f]/u;
const HAS_CASE = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;

/** What stands in most texts, the commonest first: LIKE looks for the first sign of its pattern, so that should be rare. */
const COMMON = " etaoinrhldcu\"\\,:.mfpg/-wy_bv0123456789(){}=';xjqz";

/** None when nothing can be dropped. The first is the one that drops fastest. */
export function likePatterns(text: string): string[] {
  const signs = [...inJson(text)];
  const first = signs.findIndex((sign) => !isAny(sign));
  if (first < 0) return [];
  const isEnough = (at: number) => signs.slice(at).filter((sign) => !isAny(sign)).length >= SHORTEST;
  const rare = signs.reduce(
    (best, sign, at) => (rarity(sign) > rarity(signs[best] ?? "") && isEnough(at) ? at : best),
    first,
  );
  const starts = rare === first ? [first] : [rare, first];
  return starts.map(
    (at) =>
      `%${signs
        .slice(at, at + LONGEST)
        .map(written)
        .join("")}%`,
  );
}

function rarity(sign: string): number {
  if (BEYOND.test(sign)) return -1;
  const at = COMMON.indexOf(sign.toLowerCase());
  return at < 0 ? COMMON.length : at;
}

function isAny(sign: string): boolean {
  return BEYOND.test(sign) && HAS_CASE.test(sign);
}

function written(sign: string): string {
  if (isAny(sign)) return "_";
  return sign === "%" || sign === "_" ? `${ESCAPE}${sign}` : sign;
}
