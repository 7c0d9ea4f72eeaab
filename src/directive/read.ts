/** Directives of a project, by name. */
import { join } from "node:path";
import { closest } from "../core/closest.ts";
import type { Directive } from "../core/directive.ts";
import { idProblem, MAX_ID_LENGTH, threadId } from "../core/id.ts";
import type { DirectiveProblem } from "../core/inspection.ts";
import { Problem } from "../core/problem.ts";
import { oneLine } from "../core/text.ts";
import { complaintText } from "../yaml/complaint.ts";
import { namelessOn, namesOn, readFrom, type Shelf } from "../yaml/file.ts";
import { parseDirective } from "./parse.ts";

const FOLDER = ".ai/directives";
const EXTENSION = ".md";

export function readDirective(projectRoot: string, name: string): Directive {
  const read = readDirectiveText(projectRoot, name);
  if ("refused" in read) throw invalid(name, `${read.file}: ${read.refused}`);
  const parsed = parseDirective(name, read.file, read.text);
  if ("complaints" in parsed) throw invalid(name, complaintText(parsed.complaints));
  return parsed.directive;
}

export type DirectiveText = { readonly file: string } & (
  | { readonly text: string }
  | { readonly refused: string }
);

/** Throws when no directive can have the name, or none has it. */
export function readDirectiveText(projectRoot: string, name: string): DirectiveText {
  requireName(name);
  const read = readFrom(shelf(projectRoot), name);
  if ("missing" in read) throw notFound(projectRoot, name);
  return { file: directiveFile(name), ...read };
}

export function requireName(name: string): void {
  const why = nameProblem(name);
  if (why) throw new Problem("E_BAD_ID", { what: `"${oneLine(name, 60)}" is no name of a directive.`, why });
}

/** From the project's root. */
export function directiveFile(name: string): string {
  return `${FOLDER}/${name}${EXTENSION}`;
}

export function listDirectives(projectRoot: string): string[] {
  return namesOn(shelf(projectRoot)).filter((name) => !nameProblem(name));
}

/** It is for people. */
const README = /(^|\/)README$/;

/** Files that look like directives and that nobody can run, because of how they are called. */
export function unnameable(projectRoot: string): DirectiveProblem[] {
  const on = shelf(projectRoot);
  return [...namesOn(on), ...namelessOn(on)].flatMap((name) => {
    const why = README.test(name) ? undefined : nameProblem(name);
    if (why === undefined) return [];
    const path = directiveFile(oneLine(name, 120));
    const message = `nobody can run it, because its name is no name of a directive: ${why}`;
    return [
      { path, line: 1, column: 1, code: "W_NAME", severity: "warning", message, fix: "rename it" } as const,
    ];
  });
}

function shelf(projectRoot: string): Shelf {
  return { folder: join(projectRoot, FOLDER), extension: EXTENSION };
}

/** A name must leave room for what makes it a thread's id. */
function nameProblem(name: string): string | undefined {
  const isTooLong = threadId(name, 9_999_999_999_000, new Uint8Array(6)).length > MAX_ID_LENGTH;
  return idProblem(name) ?? (isTooLong ? "it is too long to be part of a thread's id" : undefined);
}

export function invalid(name: string, why: string): Problem {
  return new Problem("E_DIRECTIVE_INVALID", {
    what: `The directive ${name} does not validate.`,
    why,
    next: [{ cmd: `selvage directive lint ${name}`, why: "everything that is wrong with it" }],
  });
}

function notFound(projectRoot: string, name: string): Problem {
  const names = listDirectives(projectRoot);
  const near = closest(name, names);
  return new Problem("E_DIRECTIVE_NOT_FOUND", {
    what: `There is no directive ${name}.`,
    why:
      near.length > 0
        ? `${directiveFile(name)} does not exist. Close to it: ${near.join(", ")}.`
        : `${directiveFile(name)} does not exist, and no name is close to it (${names.length} directives).`,
    next:
      names.length === 0
        ? [{ cmd: "selvage init", why: "write an example" }]
        : [
            ...near.slice(0, 2).map((other) => ({ cmd: `selvage run ${other}`, why: "the closest" })),
            { cmd: "selvage directive ls", why: "all of them" },
          ],
  });
}
