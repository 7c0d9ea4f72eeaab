/** Where a right would have to be written: for each directive its file, the list, and the words to add. */
import type { Blamed } from "../../core/denial.ts";
import type { DirectiveInspection } from "../../core/inspection.ts";
import { Problem } from "../../core/problem.ts";
import { isVerb, shortRight } from "../../core/right.ts";
import { namesRight } from "../../core/rights.ts";
import type { OpenProject } from "./house.ts";

export interface Grantor {
  readonly directive: string;
  /** Threads of it that do not hand it on; null for the one that was asked about. */
  readonly threads: readonly (string | null)[];
  readonly path: string;
  readonly list: Blamed["list"];
  /** Where that list stands in the file; null when it is not there yet, and the whole line is to be added. */
  readonly line: number | null;
  readonly add: string;
  readonly form: "yaml" | "xml";
  /** The file has changed since: it grants it now. */
  readonly declared: boolean;
}

/** One line for each directive, however many threads of it are in the way. */
export async function grantorsOf(
  project: OpenProject,
  missing: readonly Blamed[],
  right: string,
): Promise<Grantor[]> {
  const names = [...new Set(missing.map(({ directive }) => directive))];
  return Promise.all(
    names.map(async (directive) => {
      const here = missing.filter((each) => each.directive === directive);
      // What may be used may be handed on too, so the wider list serves both.
      const list = here.some((each) => each.list === "permissions") ? "permissions" : "delegates";
      const threads = here.map(({ thread_id }) => thread_id);
      return { directive, threads, list, ...place(await look(project, directive), directive, list, right) };
    }),
  );
}

async function look(project: OpenProject, name: string): Promise<DirectiveInspection | undefined> {
  try {
    return await project.inspect(name);
  } catch (error) {
    // It may be gone since; then this is about a file of this name that would have to be there.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function place(
  found: DirectiveInspection | undefined,
  name: string,
  list: Blamed["list"],
  right: string,
): Pick<Grantor, "path" | "line" | "add" | "form" | "declared"> {
  const path = found?.path ?? `.ai/directives/${name}.md`;
  const read = found?.read;
  const line = read?.places[list]?.line ?? null;
  const form = read?.form ?? "yaml";
  const text = form === "xml" ? xmlText : yamlText;
  const { permissions = [], ask = [], delegates = [] } = read?.directive ?? {};
  const usable = [...permissions, ...ask];
  const declared = namesRight(list === "permissions" ? usable : [...usable, ...delegates], right);
  return { path, line, form, add: text(list, shortRight(right), line === null), declared };
}

function yamlText(list: string, right: string, isWhole: boolean): string {
  // A star at the beginning of a word is an alias to YAML.
  const word = right.startsWith("*") ? `"${right}"` : right;
  return isWhole ? `${list}: [${word}]` : word;
}

function xmlText(list: string, right: string, isWhole: boolean): string {
  const [verb = "", ...rest] = right.split(".");
  const action = rest.join(".");
  const element = isVerb(verb) && action ? `<${verb} action="${action}" />` : `<cap>${right}</cap>`;
  return isWhole ? `<${list}>${element}</${list}>` : element;
}
