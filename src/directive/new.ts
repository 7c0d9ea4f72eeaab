/** `directive new`: a file that was not there before. Nothing is written over, and nothing outside of the project. */
import { lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { unwritable } from "../core/disk-error.ts";
import { Problem } from "../core/problem.ts";
import { directiveFile, requireName } from "./read.ts";
import { directiveTemplate, scriptTemplate, type TemplateChoice } from "./template.ts";

interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** Paths from the root, in the order of writing: the directive last, because it is what makes the rest count. */
export function newDirective(projectRoot: string, name: string, choice: TemplateChoice): string[] {
  requireName(name);
  const directive = { path: directiveFile(name), text: directiveTemplate(name, choice) };
  const script = { path: `.ai/scripts/${name}.yaml`, text: scriptTemplate(name) };
  const files = choice.scripted ? [script, directive] : [directive];
  for (const { path } of files) if (isThere(join(projectRoot, path))) throw taken(name, path);
  const written: string[] = [];
  try {
    for (const file of files) {
      writeNew(projectRoot, name, file);
      written.push(file.path);
    }
  } catch (cause) {
    // Half of what was asked for would be refused as "there already" the next time.
    for (const path of written) rmSync(join(projectRoot, path), { force: true });
    throw cause;
  }
  return written;
}

function writeNew(projectRoot: string, name: string, { path, text }: NewFile): void {
  const target = join(projectRoot, path);
  const root = realpathSync(projectRoot);
  try {
    // Looked at before anything is made in it: a link may lead the folder out of the project.
    requireInside(root, dirname(target), path);
    mkdirSync(dirname(target), { recursive: true });
    requireInside(root, dirname(target), path);
    writeFileSync(target, text, { flag: "wx" });
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    const { code, syscall } = cause as NodeJS.ErrnoException;
    // Somebody else was faster.
    if (code === "EEXIST" && syscall === "open") throw taken(name, path);
    // Once it was opened it is ours, and half of it would be in the way the next time.
    if (syscall === "write") rmSync(target, { force: true });
    throw unwritable(path, cause);
  }
}

function requireInside(root: string, folder: string, path: string): void {
  let nearest = folder;
  while (!isThere(nearest)) nearest = dirname(nearest);
  const real = realpathSync(nearest);
  if (real === root || real.startsWith(root + sep)) return;
  throw unwritable(path, "Its folder is a link that leaves the project.");
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function taken(name: string, path: string): Problem {
  return new Problem("E_EXISTS", {
    what: `${path} is there already.`,
    why: "Nothing was written, so nothing of yours was lost.",
    next: [{ cmd: `selvage directive show ${name}`, why: "what it says" }],
  });
}
