/** Directives as people read them: a line each, one in full, or what is wrong with them. */
import type { Directive, DirectiveHook } from "../../core/directive.ts";
import type { DirectiveInspection, DirectiveProblem } from "../../core/inspection.ts";
import { shortRight } from "../../core/right.ts";
import { oneLine, stripControls } from "../../core/text.ts";
import type { Session } from "./session.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export function directiveTable(inspections: readonly DirectiveInspection[], terminal: Terminal): string {
  const rows = inspections.map(({ name, read, problems }) => {
    if (!read) return ["✗", name, "", "", "", oneLine(problems[0]?.message ?? "", 80)];
    const { directive } = read;
    const isValid = problems.every(({ severity }) => severity !== "error");
    const { limits, inputs, description } = directive;
    return [
      isValid ? " " : "✗",
      name,
      oneLine(modelText(directive), 40),
      limitsText(limits),
      inputsText(inputs),
      oneLine(description, 80),
    ];
  });
  const [head = "", ...lines] = table(
    [["", "NAME", "MODEL", "LIMITS", "INPUTS", "DESCRIPTION"], ...rows],
    terminal.columns,
  );
  return [terminal.out.dim(head), ...lines].join("\n");
}

/** Fixed columns: name, path, valid or invalid, model, limits, inputs, description. */
export function plainDirective({ name, path, read, problems }: DirectiveInspection): string {
  const isValid = problems.every(({ severity }) => severity !== "error");
  const { model, limits, inputs, description } = read?.directive ?? {};
  const columns = [
    name,
    path,
    isValid ? "valid" : "invalid",
    oneLine(model ?? "", 100),
    limits ? limitsText(limits) : "",
    inputs ? inputsText(inputs) : "",
    oneLine(description ?? "", 200),
  ];
  return columns.map((column) => column || "-").join("\t");
}

/** A tier with the model that it means here, if that is known. */
function modelText({ model, tier }: Pick<Directive, "model" | "tier">): string {
  if (tier === undefined) return oneLine(model, 100);
  const name = `tier ${oneLine(tier, 40)}`;
  return model === "" ? name : `${oneLine(model, 100)} (${name})`;
}

export function directiveText(
  { name, path, problems }: DirectiveInspection,
  { directive, form, places }: NonNullable<DirectiveInspection["read"]>,
  { out }: Terminal,
): string {
  const line = (part: string, text: string) => {
    const place = places[part];
    const where = place ? `:${place.line}:${place.column}` : "";
    return `  ${out.dim(part.padEnd(11))} ${out.dim(where.padEnd(7))} ${text}`;
  };
  const { version, ask, delegates } = directive;
  const permissions = [
    ...directive.permissions.map(shortRight),
    ...ask.map((right) => `${shortRight(right)} (asks first)`),
  ];
  return [
    out.bold(name),
    `  ${path} (${form === "xml" ? "fenced XML" : "front matter"})`,
    ...(directive.description ? [line("description", oneLine(directive.description, 300))] : []),
    ...(version === undefined ? [] : [line("version", oneLine(version, 40))]),
    line("model", modelText(directive)),
    line("limits", limitsText(directive.limits) || "the defaults"),
    ...perItem("inputs", declared(directive.inputs), line),
    ...perItem("outputs", declared(directive.outputs), line),
    ...(permissions.length > 0
      ? perItem("permissions", permissions, line)
      : [line("permissions", "none: its model gets no tools")]),
    ...perItem(
      "delegates",
      delegates.map((right) => `${shortRight(right)} (only handed on)`),
      line,
    ),
    ...perItem("hooks", directive.hooks.map(hookText), line),
    ...(Object.keys(directive.outputs).length > 0
      ? [`  ${out.dim("outputs are read and checked; this version does not act on them")}`]
      : []),
    ...(problems.length > 0 ? [`  ${problems.length} to look at: selvage directive lint ${name}`] : []),
    line("body", ""),
    "",
    stripControls(directive.body),
  ].join("\n");
}

/** The first item stands beside the label, the others under it. */
function perItem(
  part: string,
  items: readonly string[],
  line: (part: string, text: string) => string,
): string[] {
  return items.map((item, index) => (index === 0 ? line(part, item) : `${" ".repeat(22)}${item}`));
}

function declared(items: Directive["inputs"] | Directive["outputs"]): string[] {
  return Object.entries(items).map(([name, item]) => {
    const required = "required" in item && item.required ? ", required" : "";
    const about = item.description ? `: ${oneLine(item.description, 200)}` : "";
    return `${name} (${item.type}${required})${about}`;
  });
}

function hookText(hook: DirectiveHook): string {
  const { id, event, when } = hook;
  const condition =
    when === undefined ? "" : ` when ${typeof when === "string" ? when : JSON.stringify(when)}`;
  const act = "directive" in hook ? `directive ${hook.directive}` : `command ${hook.command}`;
  return oneLine(`${id}: on ${event}${condition} → ${act}`, 300);
}

function limitsText(limits: Directive["limits"]): string {
  return Object.entries(limits)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

function inputsText(inputs: Directive["inputs"]): string {
  return Object.entries(inputs)
    .map(([name, { required }]) => (required ? name : `[${name}]`))
    .join(" ");
}

/** `file:line:column` first, so that editors and terminals can jump there. */
export function problemLines(problems: readonly DirectiveProblem[], { flags, terminal }: Session): string {
  const { out } = terminal;
  return problems
    .map(({ path, line, column, code, severity, message, fix }) => {
      const text = stripControls(message).replace(/\s+/g, " ");
      if (flags.plain) return [path, line, column, severity, code, text, fix ?? "-"].join("\t");
      const sign = severity === "error" ? out.red("✗") : out.yellow("▲");
      const advice = fix === null ? "" : `\n    ${out.dim("fix")}  ${stripControls(fix)}`;
      return `${path}:${line}:${column}: ${sign} ${text} ${out.dim(code)}${advice}`;
    })
    .join("\n");
}
