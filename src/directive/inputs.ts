/** What a person gave on the command line, against what the directive declares. */
import { closest } from "../core/closest.ts";
import { type Directive, type DirectiveInput, renderPrompt } from "../core/directive.ts";
import { Problem } from "../core/problem.ts";
import { oneLine } from "../core/text.ts";

export type InputValue = string | number | boolean;

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Values in the declared types; throws with everything that does not fit. */
export function checkInputs(
  directive: Directive,
  given: Readonly<Record<string, string>>,
): Record<string, InputValue> {
  const { inputs } = directive;
  const values = new Map<string, InputValue>();
  const complaints: string[] = [];
  for (const [key, text] of Object.entries(given)) {
    const input = Object.hasOwn(inputs, key) ? inputs[key] : undefined;
    const value = input && convert(text, input);
    if (value !== undefined) values.set(key, value);
    else complaints.push(input ? wrongInput(key, text, input) : unknownInput(key, Object.keys(inputs)));
  }
  complaints.push(...missingInputs(directive, given));
  if (complaints.length > 0) throw problem(directive, complaints);
  return Object.fromEntries(values);
}

/** Required by declaration, or by a placeholder in the body that has no way out. */
function missingInputs({ inputs, body }: Directive, given: Readonly<Record<string, string>>): string[] {
  const missing = Object.keys(inputs).filter((key) => inputs[key]?.required && !Object.hasOwn(given, key));
  const rendered = renderPrompt(body, given);
  if ("missing" in rendered && !missing.includes(rendered.missing)) missing.push(rendered.missing);
  return missing.map((key) => `the input "${key}" is missing`);
}

function convert(text: string, { type }: DirectiveInput): InputValue | undefined {
  switch (type) {
    case "string":
      return text;
    case "number":
      return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : undefined;
  }
}

function unknownInput(key: string, declared: readonly string[]): string {
  const [meant] = closest(key.slice(0, 100), declared);
  const known = declared.length > 0 ? `inputs: ${declared.join(", ")}` : "the directive declares none";
  return `"${oneLine(key, 40)}" is not an input; ${meant ? `did you mean "${meant}"?` : known}`;
}

function wrongInput(key: string, text: string, { type }: DirectiveInput): string {
  const expected = type === "boolean" ? "true or false" : `a ${type}`;
  return `the input "${key}" must be ${expected}, not "${oneLine(text, 40)}"`;
}

function problem(directive: Directive, complaints: readonly string[]): Problem {
  const usage = Object.entries(directive.inputs).map(([key, input]) => {
    const pair = `${key}=${input.type === "string" ? "TEXT" : input.type.toUpperCase()}`;
    return input.required ? pair : `[${pair}]`;
  });
  return new Problem("E_DIRECTIVE_INVALID", {
    what: `The inputs do not fit the directive ${directive.name}.`,
    why: complaints.join("\n"),
    next: [{ cmd: ["selvage run", directive.name, ...usage].join(" "), why: "the inputs it takes" }],
  });
}
