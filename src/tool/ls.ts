/** `ls`: what is in a folder. */
import { realpathSync } from "node:fs";
import * as z from "zod/mini";
import { zodInput } from "../core/input.ts";
import type { Tool } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { Listing } from "./listing.ts";
import { placeOf } from "./place.ts";
import { isOurs } from "./project-path.ts";
import type { LookOptions } from "./search.ts";
import { type Blanks, entriesOf, type Found } from "./walk.ts";

const MOST = 1_000;

const Input = () =>
  z.object({
    path: z.optional(z.string().check(z.describe("The folder; without it, the project's own."))),
  });

export function lsTool({ projectRoot, limits }: LookOptions): Tool {
  return toolFrom({
    name: "ls",
    description: "Lists a folder of the project. Folders end with /, links with @.",
    input: zodInput(Input),
    effect: "pure",
    run: async ({ path }) => {
      const { path: folder, kind } = placeOf(projectRoot, path);
      if (kind === "file") throw new Error(`${path}: it is a file, not a folder`);
      const blanks: Blanks = { unreadable: 0, isCut: false };
      const own = isOurs(realpathSync(projectRoot));
      const entries = (await entriesOf(folder, folder, blanks)).filter((entry) => !own(entry.path));
      if (blanks.unreadable > 0) throw new Error(`${path ?? "."}: it may not be read`);
      const listing = new Listing({ lines: MOST, chars: limits.model_output_chars });
      const left = entries.length - entries.filter((entry) => listing.add(marked(entry))).length;
      const notes = left > 0 ? [`${left} more left out`] : [];
      return { status: "ok", output: listing.text(notes, "(empty folder)") };
    },
  });
}

/** A name may hold a line break: one line each, all the same. */
export function marked({ name, kind }: Found): string {
  const sign = { file: "", other: "", folder: "/", link: "@" }[kind];
  return name.replace(/[\r\n]/g, "?") + sign;
}
