/** `edit`: one place of a file, replaced. */
import * as z from "zod/mini";
import { messageOf, zodInput } from "../core/input.ts";
import { oneLine, wellFormed } from "../core/text.ts";
import type { ProbeAnswer, Tool, ToolOutcome } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { openText } from "./open-file.ts";
import { resolveInProject } from "./project-path.ts";
import { putFile } from "./put-file.ts";
import { changeState, closestLine, lineAt, places } from "./text-change.ts";

const MAX_BYTES = 16_777_216;
const SHOWN_PLACES = 5;

const Input = () =>
  z.object({
    path: z.string().check(z.describe("The file, from the project's folder.")),
    old_text: z
      .string()
      .check(z.minLength(1), z.describe("What stands there now, exactly, and in one place only.")),
    new_text: z.string().check(z.describe("What is to stand there instead.")),
  });
type Input = z.infer<ReturnType<typeof Input>>;

export function editTool(projectRoot: string): Tool {
  return toolFrom({
    name: "edit",
    description:
      "Replaces one piece of text in a file of the project. The old text must occur exactly once, space and line ends included.",
    input: zodInput(Input),
    // Made twice it would fail, or with a new text that holds the old one be made twice: so the file is asked first.
    effect: "probe",
    lanes: ({ path }) => {
      const resolved = resolveInProject(projectRoot, path);
      return resolved.complaint === undefined ? [`file:${resolved.path}`] : [];
    },
    probe: (input) => probe(projectRoot, input),
    run: (input, { callKey }) => edit(projectRoot, input, callKey),
  });
}

async function edit(projectRoot: string, input: Input, callKey: string): Promise<ToolOutcome> {
  try {
    const { path, text } = await readWhole(projectRoot, input.path);
    const at = onlyPlace(text, input);
    const newText = wellFormed(input.new_text);
    putFile(path, text.slice(0, at) + newText + text.slice(at + input.old_text.length), callKey);
    return { status: "ok", output: done(input.path, lineAt(text, at)) };
  } catch (cause) {
    return { status: "error", output: `${input.path} was not changed: ${messageOf(cause)}.` };
  }
}

/** What the file says counts, whoever wrote it: the change is there, or it can still be made. */
async function probe(projectRoot: string, input: Input): Promise<ProbeAnswer> {
  const { text } = await readWhole(projectRoot, input.path);
  const newText = wellFormed(input.new_text);
  switch (changeState(text, input.old_text, newText)) {
    case "done": {
      const output = done(input.path, lineAt(text, text.indexOf(newText)));
      return { type: "done", outcome: { status: "ok", output: newText === "" ? done(input.path) : output } };
    }
    case "not_done":
      return { type: "not_done" };
    case "unclear":
      return { type: "cannot_tell" };
  }
}

function done(path: string, line?: number): string {
  return `Edited ${path}${line === undefined ? "" : ` at line ${line}`}.`;
}

async function readWhole(projectRoot: string, asked: string): Promise<{ path: string; text: string }> {
  const { path, handle, size } = await openText(projectRoot, asked);
  try {
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, and at most ${MAX_BYTES} can be edited`);
    return { path, text: decoded(await handle.readFile()) };
  } finally {
    await handle.close();
  }
}

/** Strictly: what cannot be decoded could not be written back as it was. */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}

function onlyPlace(text: string, { old_text: oldText, new_text: newText }: Input): number {
  if (oldText === newText) throw new Error("old_text and new_text are the same");
  const found = places(text, oldText);
  const [at] = found;
  if (at === undefined) throw new Error(`old_text does not occur in it. ${hint(text, oldText)}`);
  if (found.length === 1) return at;
  const lines = [...new Set(found.slice(0, SHOWN_PLACES).map((place) => lineAt(text, place)))];
  const shown = `${lines.join(", ")}${found.length > SHOWN_PLACES ? ", …" : ""}`;
  throw new Error(
    `old_text occurs ${found.length} times (lines ${shown}); give more of what stands around it`,
  );
}

function hint(text: string, oldText: string): string {
  if (text.includes(oldText.replace(/\r?\n/g, "\r\n"))) return "Its lines end with CR LF: give them so";
  const near = closestLine(text, oldText);
  if (!near) return "No line of it looks like it: read the file first";
  return `The closest is line ${near.line}: ${JSON.stringify(oneLine(near.text, 200))}`;
}
