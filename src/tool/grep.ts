/** `grep`: lines of text files that match a pattern. */
import * as z from "zod/mini";
import { messageOf, zodInput } from "../core/input.ts";
import type { Tool, ToolContext } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { globMatcher } from "./glob.ts";
import { linearPattern, loadPatterns, type Pattern } from "./linear-pattern.ts";
import { linesOf } from "./lines-of.ts";
import { Listing } from "./listing.ts";
import { type LookOptions, type Search, search } from "./search.ts";

const MOST = 500;
const LONGEST_LINE = 300;
const BEFORE_MATCH = 100;

const Input = () =>
  z.object({
    pattern: z
      .string()
      .check(z.minLength(1), z.describe("A regular expression of RE2, for single lines; (?i) ignores case.")),
    path: z.optional(z.string().check(z.describe("A file or folder; without it, the whole project."))),
    glob: z.optional(z.string().check(z.minLength(1), z.describe("Only files with such a name, e.g. *.ts."))),
  });

export function grepTool({ projectRoot, limits }: LookOptions): Tool {
  return toolFrom({
    name: "grep",
    description: `Finds lines of the project's text files by a regular expression, ${MOST} at most. It does not look into .git, node_modules or links.`,
    input: zodInput(Input),
    effect: "pure",
    run: async ({ pattern, path, glob }, { signal }) => {
      await loadPatterns();
      const listing = new Listing({ lines: MOST, chars: limits.model_output_chars });
      const nothing = "(no line matches)";
      const look = looker(patternFrom(pattern), glob, listing, signal);
      return search({ projectRoot, asked: path, signal, listing, nothing, look });
    },
  });
}

function patternFrom(source: string): Pattern {
  try {
    return linearPattern(source);
  } catch (cause) {
    throw new Error(
      `The pattern ${JSON.stringify(source.slice(0, 200))} cannot be used: ${messageOf(cause)}.`,
    );
  }
}

function looker(
  pattern: Pattern,
  glob: string | undefined,
  listing: Listing,
  signal: ToolContext["signal"],
): Search["look"] {
  const isWanted = glob === undefined ? () => true : globMatcher(glob);
  return async ({ path, name, kind }, prefix, blanks) => {
    if (kind !== "file" || !isWanted(name)) return true;
    try {
      for await (const lines of linesOf(path, signal)) {
        for (const { number, text } of lines) {
          if (pattern.test(text) && !listing.add(`${prefix}${name}:${number}: ${shown(text, pattern)}`))
            return false;
        }
      }
    } catch {
      signal.throwIfAborted();
      blanks.unreadable += 1;
    }
    return true;
  };
}

/** A long line around its match. */
function shown(line: string, pattern: Pattern): string {
  if (line.length <= LONGEST_LINE) return line;
  const from = Math.max(0, pattern.placeIn(line) - BEFORE_MATCH);
  const piece = line.slice(from, from + LONGEST_LINE);
  return `${from > 0 ? "…" : ""}${piece}${from + LONGEST_LINE < line.length ? "…" : ""}`;
}
