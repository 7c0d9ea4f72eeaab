/** Text of a directive file -> a `Directive`, or what is wrong with it and where. Both forms end in the same value. */
import { closest } from "../core/closest.ts";
import {
  type Complaint,
  type Directive,
  renderPrompt,
  type Stray,
  strayPlaceholders,
} from "../core/directive.ts";
import { readSigned } from "../core/signed-line.ts";
import { checkYaml } from "../yaml/check.ts";
import { type Path, parseYaml, type Yaml } from "../yaml/parse.ts";
import { findXmlFence } from "./fence.ts";
import { headComplaints, namedRights, toDirective } from "./from-head.ts";
import { FrontMatter, splitFrontMatter } from "./front-matter.ts";
import { MOST_FAULTS, placeIn } from "./place.ts";
import { type PromptPiece, readXmlForm } from "./xml-form.ts";

export interface GoodDirective {
  readonly directive: Directive;
  readonly form: "yaml" | "xml";
  readonly placeOf: Yaml["placeOf"];
  /** Whether a part is written in the head at all. */
  readonly hasPart: (part: string) => boolean;
  /** Every right it names, in full, with its place. */
  readonly rights: readonly { readonly right: string; readonly path: Path }[];
  /** Where the prompt begins. */
  readonly bodyAt: { readonly line: number; readonly column: number };
  /** What looks like a placeholder in the prompt and is none, with its place: looked for when somebody asks. */
  readonly strays: () => readonly (Stray & { readonly line: number; readonly column: number })[];
  /** Written, understood, and without effect: for lint to tell. */
  readonly ignored: { readonly tier?: string; readonly name?: string };
}

export type ParsedDirective = GoodDirective | { readonly complaints: readonly Complaint[] };

interface Source {
  readonly form: GoodDirective["form"];
  readonly head: Yaml;
  readonly prompt: readonly PromptPiece[];
  readonly declaredName?: string;
}

export function parseDirective(name: string, file: string, written: string): ParsedDirective {
  // Its last line, if it is signed: not for the model, and no line before it moves.
  const { content: text } = readSigned(file, written);
  const source = readSource(file, text);
  if ("complaints" in source) return source;
  const { form, head, prompt, declaredName } = source;
  const checked = checkYaml(head, FrontMatter, head.value ?? {});
  if ("complaints" in checked) return checked;
  const { model } = checked.value;
  const directive = toDirective(name, checked.value, joined(prompt));
  const wrong = bodyFault(directive, prompt, text);
  const complaints = [
    ...headComplaints(head, checked.value),
    ...(wrong ? [{ file, ...placeIn(text, wrong.at), message: wrong.message }] : []),
  ];
  if (complaints.length > 0) return { complaints };
  const tier = typeof model === "string" || model.id === undefined ? undefined : model.tier;
  const [start] = prompt.filter((piece) => piece.text.trim() !== "");
  return {
    directive,
    form,
    placeOf: head.placeOf,
    rights: namedRights(checked.value),
    hasPart: (part) => Object.hasOwn(head.value ?? {}, part),
    bodyAt: placeIn(text, firstWord(text, start)),
    strays: () => prompt.flatMap((piece) => straysIn(piece, text)).slice(0, MOST_FAULTS),
    ignored: { ...(tier ? { tier } : {}), ...(declaredName === undefined ? {} : { name: declaredName }) },
  };
}

/** A file that starts with front matter is native, whatever its prompt shows; any other may hold a fenced directive. */
function readSource(file: string, text: string): Source | { readonly complaints: readonly Complaint[] } {
  const split = splitFrontMatter(text);
  if ("unclosed" in split) {
    const message = "the front matter that starts here is not closed by a line ---";
    return { complaints: [{ file, line: 1, column: 1, message, fix: "write a line ---" }] };
  }
  const fence = split.bodyStart === 0 ? findXmlFence(text) : undefined;
  if (fence && "fault" in fence) {
    const { at, message } = fence.fault;
    return { complaints: [{ file, ...placeIn(text, at), message }] };
  }
  if (fence) {
    const read = readXmlForm(file, text, fence);
    return "complaints" in read ? read : { form: "xml", ...read };
  }
  const yaml = parseYaml({ file, text: split.head, linesBefore: split.bodyStart > 0 ? 1 : 0 });
  if ("complaints" in yaml) return yaml;
  return {
    form: "yaml",
    head: yaml,
    prompt: [{ text: split.body, from: split.bodyStart, to: text.length }],
  };
}

function joined(prompt: readonly PromptPiece[]): string {
  return prompt
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A placeholder nobody can fill would fail every run: better said before the first. */
function bodyFault(
  directive: Directive,
  prompt: readonly PromptPiece[],
  text: string,
): { at: number; message: string } | undefined {
  if (directive.body === "")
    return { at: prompt.at(-1)?.from ?? 0, message: "the body is empty; it is the prompt of the thread" };
  const rendered = renderPrompt(directive.body, directive.inputs);
  if ("text" in rendered) return undefined;
  const { missing } = rendered;
  const [meant] = closest(missing.slice(0, 100), Object.keys(directive.inputs));
  const hint = meant ? `did you mean "${meant}"?` : `declare it under inputs, or write {input:${missing}?}`;
  return {
    at: offsetIn(prompt, text, `{input:${missing}}`),
    message: `"${missing}" is not a declared input; ${hint}`,
  };
}

function straysIn({ text: words, from, to }: PromptPiece, text: string): ReturnType<GoodDirective["strays"]> {
  const strays = strayPlaceholders(words, MOST_FAULTS);
  if (strays.length === 0) return [];
  // Where it was written with entities, its openings are still in the same order; if not, its beginning is near enough.
  const openings = [...text.slice(from, to).matchAll(/\{input:/g)].map(({ index }) => index);
  return strays.map((stray) => ({ ...stray, ...placeIn(text, from + (openings[stray.nth] ?? 0)) }));
}

function offsetIn(prompt: readonly PromptPiece[], text: string, wanted: string): number {
  const found = prompt
    .map(({ from, to }) => ({ from, at: text.slice(from, to).indexOf(wanted) }))
    .find(({ at }) => at >= 0);
  // Written with an entity in it, it is not found as text: its piece is near enough.
  return found ? found.from + found.at : (prompt.at(-1)?.from ?? 0);
}

/** By its first line: comments and tags may stand before it in the file. */
function firstWord(text: string, piece: PromptPiece | undefined): number {
  if (!piece) return 0;
  const [line = ""] = piece.text.trim().split(/\r?\n/, 1);
  return piece.from + Math.max(0, text.slice(piece.from, piece.to).indexOf(line));
}
