/** Hooks as people read them: a line each, or what would become of them at an event. */
import type { Hook, HookEvent } from "../../core/hook.ts";
import { oneLine } from "../../core/text.ts";
import { counted } from "./moment.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** A hook, and what its condition said. */
export interface Asked {
  readonly hook: Hook;
  readonly answer: boolean | { readonly error: string };
}

/** What it would run. */
export function runText({ run }: Hook): string {
  if ("directive" in run) return `the directive ${run.directive}`;
  return "command" in run ? run.command : "a function";
}

export function hooksTable(hooks: readonly Hook[], terminal: Terminal): string {
  const rows = hooks.map((hook) => [
    oneLine(hook.id, 30),
    hook.event,
    hook.layer,
    hook.when ? oneLine(hook.when.source, 60) : "always",
    oneLine(runText(hook), 40),
    hook.where,
  ]);
  const head = ["ID", "EVENT", "LAYER", "WHEN", "RUNS", "WHERE"];
  const [first = "", ...lines] = table([head, ...rows], terminal.columns);
  return [terminal.out.dim(first), ...lines].join("\n");
}

/** Fixed columns: id, event, layer, when, where, what it runs. */
export function plainHook(hook: Hook): string {
  const { id, event, layer, when, where } = hook;
  const condition = oneLine(when?.source ?? "", 500);
  const columns = [oneLine(id), event, layer, condition, where, oneLine(runText(hook), 500)];
  return columns.map((column) => column || "-").join("\t");
}

export function testText(
  { event, asked, then }: { event: HookEvent; asked: readonly Asked[]; then: string },
  { out }: Terminal,
): string {
  const running = asked.filter(({ answer }) => answer === true);
  const head = `${counted(running.length, "hook")} of ${asked.length} on ${event} would run`;
  return [
    out.bold(asked.length === 0 ? `There are no hooks on ${event}` : head),
    ...asked.flatMap((each) => lines(each, out)),
    `  ${out.dim(running.length > 0 ? "then, unless one of them decides:" : "then:")} ${then}`,
  ].join("\n");
}

function lines({ hook, answer }: Asked, out: Terminal["out"]): string[] {
  const { id, layer, where, when } = hook;
  const place = out.dim(`${layer} · ${where}`);
  const condition = when ? `when ${oneLine(when.source, 100)}` : "always";
  if (answer === true)
    return [
      `  ${out.green("✓")} ${oneLine(id, 60)}  ${condition}  ${place}`,
      `      → ${oneLine(runText(hook), 200)}`,
    ];
  if (answer === false) return [`  · ${oneLine(id, 60)}  ${condition}: false  ${place}`];
  return [
    `  ${out.yellow("▲")} ${oneLine(id, 60)}  ${condition}: cannot be told, so it does not run  ${place}`,
    `      ${oneLine(answer.error, 200)}`,
  ];
}
