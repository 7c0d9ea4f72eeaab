/** `run --dry-run`: everything that would be checked and everything that could be spent; nothing is written, nothing asked. */
import type { Directive } from "../../core/directive.ts";
import { type Forecast, forecast } from "../../core/forecast.ts";
import { mint } from "../../core/grant.ts";
import type { Limits } from "../../core/limit.ts";
import { orchestrationNames } from "../../core/orchestration.ts";
import { EXIT } from "../../core/problem.ts";
import { shortRight } from "../../core/right.ts";
import { rightsOf } from "../../core/rights.ts";
import { isOffered } from "../../core/signing.ts";
import type { Answer } from "./answer.ts";
import type { OpenProject } from "./house.ts";

export interface DryRun {
  readonly directive: Directive;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly limits: Limits;
}

export async function dryRun(project: OpenProject, { directive, inputs, limits }: DryRun): Promise<Answer> {
  const { defaults } = project.world.settings.limits;
  const all = { ...defaults, ...directive.limits, ...limits };
  const rights = rightsOf(mint(directive));
  const tools = [
    ...project.tools.filter((tool) => isOffered(rights, tool)),
    ...orchestrationNames(rights, directive.outputs),
  ];
  const hooks = [...(await project.directiveHooks(directive.name)), ...(await project.hooks())];
  const tree = forecast(directive, all, {
    names: project.directives(),
    directive: (name) => project.directive(name),
  });
  const data = {
    directive: directive.name,
    model: directive.model,
    inputs,
    limits: all,
    rights: { permissions: directive.permissions, ask: directive.ask, delegates: directive.delegates },
    tools,
    hooks: hooks.map(({ id, event }) => ({ id, event })),
    tree,
    at_most: tree.spend,
  };
  const problems = problemsIn(tree);
  return {
    ...{ kind: "run.forecast", exit: EXIT.ok, data, text: text(data) },
    warnings: problems,
    hint: ["Nothing was started, and nothing was spent.", ...problems.map((each) => `! ${each}`)].join("\n"),
  };
}

function text(data: {
  readonly directive: string;
  readonly model: string;
  readonly limits: Limits;
  readonly rights: { readonly permissions: readonly string[]; readonly ask: readonly string[] };
  readonly tools: readonly string[];
  readonly hooks: readonly { readonly id: string; readonly event: string }[];
  readonly tree: Forecast;
}): string {
  const { permissions, ask } = data.rights;
  const rights = [...permissions.map(shortRight), ...ask.map((right) => `${shortRight(right)} (asks)`)];
  const list = (items: readonly string[]) => (items.length === 0 ? "none" : items.join(", "));
  return [
    `${data.directive} · ${data.model}`,
    `  limits  ${list(Object.entries(data.limits).map(([key, value]) => `${key} ${value}`))}`,
    `  rights  ${list(rights)}`,
    `  tools   ${list(data.tools)}`,
    `  hooks   ${list(data.hooks.map(({ id, event }) => `${id} (${event})`))}`,
    `  spends  ${data.tree.spend === null ? "without a limit" : `at most $${data.tree.spend}, with everyone below it`}`,
    ...branches(data.tree, "  "),
  ].join("\n");
}

function branches({ children }: Forecast, indent: string): string[] {
  return children.flatMap((child, at) => {
    const isLast = at === children.length - 1;
    const money = child.spend === null ? "—" : `at most $${child.spend} each, out of that`;
    const note = child.problem ? ` · ${child.problem}` : child.again ? " · again" : "";
    const line = `${indent}${isLast ? "└─" : "├─"} ${child.directive}  ${money}${note}`;
    return [line, ...branches(child, `${indent}${isLast ? "   " : "│  "}`)];
  });
}

function problemsIn({ directive, problem, children }: Forecast): string[] {
  return [...(problem === null ? [] : [`${directive}: ${problem}`]), ...children.flatMap(problemsIn)];
}
