/** `write`: a whole file, replaced at once. */
import * as z from "zod/mini";
import { messageOf, zodInput } from "../core/input.ts";
import { wellFormed } from "../core/text.ts";
import type { Tool, ToolOutcome } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { resolveInProject } from "./project-path.ts";
import { putFile } from "./put-file.ts";

const Input = () =>
  z.object({
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
    putFile(resolved.path, content, callKey);
  } catch (cause) {
    return failed(path, messageOf(cause)); // the path belongs into the words the model reads
  }
  return { status: "ok", output: `Wrote ${Buffer.byteLength(content)} bytes to ${path}.` };
}

function failed(path: string, why: string): ToolOutcome {
  return { status: "error", output: `${path} was not written: ${why}.` };
}
