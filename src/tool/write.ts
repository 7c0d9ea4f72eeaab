/** `write`: a whole file, replaced at once. */
import { accessSync, constants, lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { wellFormed } from "../core/text.ts";
import type { Tool, ToolOutcome } from "../core/tool.ts";
import { makeFolder } from "../disk/folder.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { toolFrom } from "./contract.ts";
import { messageOf, zodInput } from "./input.ts";
import { resolveInProject } from "./project-path.ts";

const Input = z.object({
  path: z.string().check(z.describe("The file, from the project's folder.")),
  content: z.string().check(z.describe("The whole content.")),
});

export function writeTool(projectRoot: string): Tool {
  return toolFrom({
    name: "write",
    description: "Writes a file of the project, replacing it if it exists. Missing folders are made.",
    input: zodInput(Input),
    // Repeating a write that may have happened leads to the same file, and the lane keeps this thread's other
    // calls on that file behind it. Only what someone else wrote there between crash and recovery is lost.
    effect: "keyed",
    lanes: ({ path }) => {
      const resolved = resolveInProject(projectRoot, path);
      return resolved.complaint === undefined ? [`file:${resolved.path}`] : [];
    },
    run: ({ path, content }, { callKey }) =>
      write(projectRoot, { path, content: wellFormed(content), callKey }),
  });
}

interface Writing {
  readonly path: string;
  readonly content: string;
  readonly callKey: string;
}

async function write(projectRoot: string, { path, content, callKey }: Writing): Promise<ToolOutcome> {
  const resolved = resolveInProject(projectRoot, path);
  if (resolved.complaint !== undefined) return failed(path, resolved.complaint);
  try {
    put(resolved.path, content, callKey);
  } catch (cause) {
    return failed(path, messageOf(cause)); // the path belongs into the words the model reads
  }
  return { status: "ok", output: `Wrote ${Buffer.byteLength(content)} bytes to ${path}.` };
}

function put(path: string, content: string, callKey: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  if (realpathSync(folder) !== folder)
    throw new Error("a folder of the path was replaced by a link meanwhile");
  const mode = modeToKeep(path);
  replaceFile(path, content, { tag: callKey, ...(mode !== undefined && { mode }) });
}

/** Undefined for a new file. A rename would also replace what may not be written, and devices: so ask first. */
function modeToKeep(path: string): number | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isDirectory()) throw new Error("it is a folder");
  if (!found.isFile()) throw new Error("it is not an ordinary file");
  accessSync(path, constants.W_OK);
  return found.mode & 0o7777;
}

function failed(path: string, why: string): ToolOutcome {
  return { status: "error", output: `${path} was not written: ${why}.` };
}
