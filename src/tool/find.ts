/** `find`: files and folders by name. */
import * as z from "zod/mini";
import { zodInput } from "../core/input.ts";
import type { Tool } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { globMatcher } from "./glob.ts";
import { loadPatterns } from "./linear-pattern.ts";
import { Listing } from "./listing.ts";
import { marked } from "./ls.ts";
import { type LookOptions, search } from "./search.ts";

const MOST = 1_000;

const Input = () =>
  z.object({
    pattern: z
      .string()
      .check(
        z.minLength(1),
        z.describe("Such as *.ts, src/**/*.test.ts or {a,b}.md; without / at any depth."),
      ),
    path: z.optional(z.string().check(z.describe("The folder to look in; without it, the whole project."))),
  });

export function findTool({ projectRoot, limits }: LookOptions): Tool {
  return toolFrom({
    name: "find",
    description: `Finds files and folders of the project by name, ${MOST} at most. It does not look into .git, node_modules or links.`,
    input: zodInput(Input),
    effect: "pure",
    run: async ({ pattern, path }, { signal }) => {
      await loadPatterns();
      const matches = globMatcher(pattern);
      const listing = new Listing({ lines: MOST, chars: limits.model_output_chars });
      return search({
        ...{ projectRoot, asked: path, signal, listing },
        nothing: "(nothing found)",
        look: async (found, prefix) =>
          !matches(found.name) || listing.add(marked({ ...found, name: prefix + found.name })),
      });
    },
  });
}
