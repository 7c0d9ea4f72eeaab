/** Text of a directive file -> a `Directive`, or what is wrong with it and where. */
import { closest } from "../core/closest.ts";
import { type Complaint, type Directive, renderPrompt } from "../core/directive.ts";
import { checkYaml } from "../yaml/check.ts";
import { parseYaml } from "../yaml/parse.ts";
import { FrontMatter, splitFrontMatter } from "./front-matter.ts";

export type ParsedDirective =
  | { readonly directive: Directive }
  | { readonly complaints: readonly Complaint[] };

export function parseDirective(name: string, file: string, text: string): ParsedDirective {
  const split = splitFrontMatter(text);
  if ("unclosed" in split) {
    const message = "the front matter that starts here is not closed by a line ---";
    return { complaints: [{ file, line: 1, column: 1, message }] };
  }
  const yaml = parseYaml({ file, text: split.head, linesBefore: split.bodyStart > 0 ? 1 : 0 });
  if ("complaints" in yaml) return yaml;
  const checked = checkYaml(yaml, FrontMatter, yaml.value ?? {});
  if ("complaints" in checked) return checked;
  const directive = toDirective(name, checked.value, split.body);
  const complaint = bodyComplaint(directive, split);
  return complaint
    ? { complaints: [{ file, ...placeIn(text, complaint.at), message: complaint.message }] }
    : { directive };
}

function toDirective(name: string, head: FrontMatter, body: string): Directive {
  const { description, model, limits, inputs, tools } = head;
  return {
    name,
    description,
    model: typeof model === "string" ? model : model.id,
    limits: withoutHoles(limits),
    inputs: Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, withoutHoles(input)])),
    body: body.trim(),
    ...(tools ? { tools } : {}),
  };
}

interface BodyPlace {
  readonly body: string;
  readonly bodyStart: number;
}

/** A placeholder nobody can fill would fail every run: better said before the first. */
function bodyComplaint(
  directive: Directive,
  { body, bodyStart }: BodyPlace,
): { at: number; message: string } | undefined {
  if (directive.body === "")
    return { at: bodyStart, message: "the body is empty; it is the prompt of the thread" };
  const rendered = renderPrompt(directive.body, directive.inputs);
  if ("text" in rendered) return undefined;
  const { missing } = rendered;
  const [meant] = closest(missing, Object.keys(directive.inputs));
  const hint = meant ? `did you mean "${meant}"?` : `declare it under inputs, or write {input:${missing}?}`;
  return {
    at: bodyStart + body.indexOf(`{input:${missing}}`),
    message: `"${missing}" is not a declared input; ${hint}`,
  };
}

function placeIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

type Whole<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** A schema's optional fields may be present and undefined; ours are present or absent. */
function withoutHoles<T extends object>(value: T): Whole<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Whole<T>;
}
