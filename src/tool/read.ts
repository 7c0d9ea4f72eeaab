/** `read`: lines of a text file, as they stand there, so that what is read can be handed to `edit`. */
import * as z from "zod/mini";
import { messageOf, zodInput } from "../core/input.ts";
import { lineView } from "../core/line-view.ts";
import type { Settings } from "../core/settings.ts";
import type { Tool, ToolContext, ToolOutcome } from "../core/tool.ts";
import { toolFrom } from "./contract.ts";
import { type RangeRead, readRange } from "./line-range.ts";
import { openText } from "./open-file.ts";

const MOST_LINES = 2_000;
/** Room for the note at the end, so that a view for the model never cuts what was cut already. */
const NOTE_CHARS = 300;

const Input = () =>
  z.object({
    path: z.string().check(z.describe("The file, from the project's folder.")),
    offset: z.optional(z.int().check(z.positive(), z.describe("The first line, counted from 1."))),
    limit: z.optional(z.int().check(z.positive(), z.describe("How many lines at most."))),
  });

export interface ReadOptions {
  readonly projectRoot: string;
  readonly limits: Settings["tool"];
}

export function readTool(options: ReadOptions): Tool {
  return toolFrom({
    name: "read",
    description: `Reads a text file of the project: ${MOST_LINES} lines at most, from the beginning or from \`offset\` on.`,
    input: zodInput(Input),
    effect: "pure",
    run: (input, context) => read(input, context, options),
  });
}

async function read(
  { path, offset: first = 1, limit = MOST_LINES }: z.infer<ReturnType<typeof Input>>,
  { signal }: ToolContext,
  { projectRoot, limits }: ReadOptions,
): Promise<ToolOutcome> {
  const maxChars = Math.max(1, limits.model_output_chars - NOTE_CHARS);
  try {
    const { handle, size } = await openText(projectRoot, path);
    try {
      if (size === 0) return { status: "ok", output: "(empty file)" };
      const found = await readRange(handle, { first, most: limit, maxBytes: maxChars * 4 }, signal);
      if (found.bytes.length === 0) throw new Error(`it has only ${found.passed} lines`);
      return { status: "ok", output: shown(found, first, maxChars) };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (signal.aborted) throw cause;
    return { status: "error", output: `${path} was not read: ${messageOf(cause)}.` };
  }
}

/** Whole lines, as many as there is room for, and a note about what is missing. */
function shown({ bytes, reachedEnd }: RangeRead, first: number, maxChars: number): string {
  const { text, isLossy } = decoded(bytes);
  const notes = isLossy ? ["bytes that are not UTF-8 are shown as \ufffd"] : [];
  const { text: kept, notes: missing } = lineView(text, { first, maxChars, goesOn: !reachedEnd });
  notes.push(...missing);
  return notes.length > 0 ? `${kept}${kept.endsWith("\n") ? "" : "\n"}[${notes.join("; ")}]` : kept;
}

/** The last character may be incomplete where the range was cut, which is no fault of the file. */
function decoded(bytes: Buffer): { text: string; isLossy: boolean } {
  const decode = (fatal: boolean) =>
    new TextDecoder("utf-8", { fatal, ignoreBOM: true }).decode(bytes, { stream: true });
  try {
    return { text: decode(true), isLossy: false };
  } catch {
    return { text: decode(false), isLossy: true };
  }
}
