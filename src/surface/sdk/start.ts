/** What a program starts: a prompt of its own with tools of its own, or a directive of the project. */
import { closest } from "../../core/closest.ts";
import type { Directive } from "../../core/directive.ts";
import { idProblem } from "../../core/id.ts";
import { type Limits, parseLimits } from "../../core/limit.ts";
import { Problem } from "../../core/problem.ts";
import { parseRight, toolRight } from "../../core/right.ts";
import { oneLine } from "../../core/text.ts";
import type { Tool } from "../../core/tool.ts";
import type { StartAsk } from "../../runtime/index.ts";
import { person } from "../cli/person.ts";
import type { Premises } from "./premises.ts";
import { isScripted, type Scripted } from "./scripted.ts";

interface Common {
  readonly limits?: Limits | undefined;
  /** `provider/model`, a tier such as `fast`, or a script. */
  readonly model?: string | Scripted | undefined;
}

export interface PromptStart extends Common {
  readonly prompt: string;
  /** What its threads are called; `prompt` when nobody says. */
  readonly name?: string | undefined;
  /** What it is, in a sentence or two, before the rules. */
  readonly system?: string | undefined;
  /** It may use these, and what `permissions` grants beside them. */
  readonly tools?: readonly Tool[] | undefined;
  readonly permissions?: readonly string[] | undefined;
}

export interface DirectiveStart extends Common {
  readonly directive: string;
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  /** It may use those that its `permissions` name. */
  readonly tools?: readonly Tool[] | undefined;
}

export type StartOptions = PromptStart | DirectiveStart;

const DEFAULT_TIER = "default";
const KNOWN: Readonly<Record<keyof PromptStart | keyof DirectiveStart, true>> = {
  ...{ prompt: true, name: true, system: true, tools: true, permissions: true },
  ...{ directive: true, inputs: true, limits: true, model: true },
};

/** For those who write without a compiler: `limit: { spend: 1 }` would be no limit at all. */
export function requireOptions(options: unknown): asserts options is StartOptions {
  if (typeof options !== "object" || options === null) throw noStart("There is nothing to start.");
  const names = Object.keys(KNOWN);
  const strange = Object.keys(options).find((name) => !names.includes(name));
  if (strange === undefined) return;
  const [meant] = closest(strange.slice(0, 60), names);
  throw new Problem("E_USAGE", {
    what: `start() knows no "${oneLine(strange, 60)}".`,
    why: meant ? `Did you mean ${meant}?` : `There are: ${names.join(", ")}.`,
  });
}

function noStart(what: string): Problem {
  return new Problem("E_USAGE", { what, why: "start() takes { prompt } or { directive }." });
}

/** Everything that speaks against it is said here, before anything is written. */
export function prepareStart(
  premises: Premises,
  options: StartOptions,
  { isClient }: { readonly isClient: boolean },
): StartAsk {
  const limits = limitsOf(options.limits);
  for (const tool of options.tools ?? []) premises.addTool(tool);
  const model = modelOf(premises, options.model);
  const directive = isDirective(options)
    ? premises.directive(options.directive, model)
    : promptDirective(options, () => model ?? premises.modelOfTier(DEFAULT_TIER));
  premises.requireModel(directive.model);
  const inputs = isDirective(options) ? given(premises, directive, options) : { prompt: options.prompt };
  const brought = premises.brought();
  return {
    ...{ directive, inputs, limits, by: person(), system: premises.systemPrompt(directive) },
    // Another process runs it, which does not have ours.
    ...(isClient
      ? { tools: premises.tools().filter((name) => !brought.includes(name)) }
      : { tools: premises.tools(), brought }),
  };
}

function isDirective(options: StartOptions): options is DirectiveStart {
  return "directive" in options && options.directive !== undefined;
}

/** Whether it lives from what only this program has: no other host could run it. */
export function isOwn({ tools = [], model }: StartOptions): boolean {
  return tools.length > 0 || isScripted(model);
}

/** Tools and a script, for threads that are there already and for what they go on in. */
export function bringAlong(
  premises: Premises,
  { tools = [], model }: Pick<PromptStart, "tools" | "model">,
): void {
  for (const tool of tools) premises.addTool(tool);
  if (isScripted(model)) premises.addScript(model.steps);
}

/** The name of a model that is called by its name, its tier, or handed in. */
export function modelOf(premises: Premises, model: StartOptions["model"]): string | undefined {
  if (model === undefined) return undefined;
  if (isScripted(model)) return premises.addScript(model.steps);
  return model.includes("/") ? model : premises.modelOfTier(model);
}

/** The prompt goes in as an input: braces in it are nobody's placeholders. */
function promptDirective(
  { prompt, name = "prompt", system = "", tools = [], permissions = [] }: PromptStart,
  model: () => string,
): Directive {
  if (typeof prompt !== "string" || prompt.trim() === "") throw noStart("There is no prompt.");
  const wrong = idProblem(name);
  if (wrong !== undefined)
    throw new Problem("E_BAD_ID", { what: `"${name}" is no name for threads.`, why: `${wrong}.` });
  return {
    ...{ name, description: system, model: model(), limits: {}, body: "{input:prompt}" },
    inputs: { prompt: { type: "string", required: true } },
    outputs: {},
    permissions: [...tools.map((tool) => toolRight(tool.name)), ...permissions.map(rightGiven)],
    ...{ ask: [], delegates: [], hooks: [] },
  };
}

function rightGiven(text: string): string {
  const parsed = parseRight(text);
  if ("right" in parsed) return parsed.right;
  throw new Problem("E_USAGE", { what: `"${text}" is no right.`, why: `${parsed.why}.` });
}

function given(premises: Premises, directive: Directive, { inputs = {} }: DirectiveStart) {
  const texts = Object.entries(inputs).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return premises.checkInputs(directive, Object.fromEntries(texts));
}

export function limitsOf(limits: StartOptions["limits"] = {}): Limits {
  const parsed = parseLimits(limits);
  if ("limits" in parsed) return parsed.limits;
  throw new Problem("E_USAGE", { what: "These limits cannot be used.", why: `${parsed.problem}.` });
}
