/** `selvage directive ls|show|lint|new`: working on directives. Only `new` writes. */
import type { Command } from "commander";
import type { DirectiveInspection, DirectiveProblem } from "../../../core/inspection.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { Answer } from "../answer.ts";
import { directiveTable, directiveText, plainDirective, problemLines } from "../directive-text.ts";
import type { OpenProject } from "../house.ts";
import { knownTools } from "../known-tools.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { verbFamily } from "../verb-family.ts";

interface LintOptions {
  readonly strict?: boolean;
}

interface NewOptions {
  readonly xml?: boolean;
  readonly scripted?: boolean;
}

const NAME = "name of a file under .ai/directives/, without .md";

export function directiveCommand(play: Play): Command {
  const family = verbFamily(play, {
    name: "directive",
    description: "list, show, check and make directives",
    usage: "ls | show NAME | lint [NAME…] | new NAME",
    about: "directives",
  });
  family
    .command("ls")
    .description("all directives of this project")
    .action(() => play(list));
  family
    .command("show")
    .description("what a directive says, and where each part of it stands")
    .argument("<name>", NAME)
    .action((name: string) => play((session) => show(session, name)));
  family
    .command("lint")
    .description("what is wrong with directives, with file, line and column (exit 7)")
    .argument("[names...]", `${NAME}; all of them when none is given`)
    .option("--strict", "exit 7 for warnings too")
    .action((names: string[], options: LintOptions) => play((session) => lint(session, names, options)));
  family
    .command("new")
    .description("write a directive to start from")
    .argument("<name>", NAME)
    .option("--xml", "in the fenced XML form instead of YAML front matter")
    .option("--scripted", "with a scripted model and its script: runs without a key")
    .action((name: string, options: NewOptions) => play((session) => make(session, name, options)));
  return family;
}

async function list(session: Session): Promise<Answer> {
  const project = session.open();
  const inspections = await Promise.all(project.directives().map((name) => project.inspect(name)));
  const data = { directives: inspections.map(asListed) };
  const { flags, terminal } = session;
  const kind = "directive.list";
  if (flags.quiet) return { kind, exit: 0, data, text: inspections.map(({ name }) => name).join("\n") };
  if (flags.plain) return { kind, exit: 0, data, text: inspections.map(plainDirective).join("\n") };
  if (inspections.length === 0)
    return { kind, exit: 0, data, hint: "No directives yet: selvage directive new NAME --scripted" };
  const invalid = inspections.filter((inspection) => !isValid(inspection));
  const strays = project.unnameable().length;
  const hint = [
    counted(inspections.length, "directive"),
    ...(invalid.length > 0 ? [`${invalid.length} invalid: selvage directive lint`] : []),
    ...(strays > 0 ? [`${counted(strays, "file")} that nobody can run: selvage directive lint`] : []),
  ].join(" · ");
  return { kind, exit: 0, data, text: directiveTable(inspections, terminal), hint };
}

function asListed(inspection: DirectiveInspection) {
  const { name, path, read, problems } = inspection;
  return {
    name,
    path,
    description: read?.directive.description ?? null,
    model: read?.directive.model || null,
    tier: read?.directive.tier ?? null,
    limits: read?.directive.limits ?? null,
    inputs: read?.directive.inputs ?? null,
    valid: isValid(inspection),
    problems,
  };
}

function isValid({ problems }: DirectiveInspection): boolean {
  return problems.every(({ severity }) => severity !== "error");
}

async function show(session: Session, name: string): Promise<Answer> {
  const project = session.open();
  const inspection = await project.inspect(name);
  if (!inspection.read) throw invalid(inspection);
  const { directive, form, places } = inspection.read;
  const model = directive.model || null;
  const data = { ...directive, model, path: inspection.path, form, places, problems: inspection.problems };
  return {
    kind: "directive",
    exit: 0,
    data,
    text: directiveText(inspection, inspection.read, session.terminal),
  };
}

function invalid({ name, path, problems }: DirectiveInspection): Problem {
  const [first] = problems;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
  return new Problem("E_DIRECTIVE_INVALID", {
    what: `The directive ${name} does not validate.`,
    why: first ? `${path}:${first.line}:${first.column}: ${first.message}${more}` : path,
    next: [{ cmd: `selvage directive lint ${name}`, why: "everything that is wrong with it" }],
  });
}

async function lint(session: Session, names: readonly string[], { strict }: LintOptions): Promise<Answer> {
  const project = session.open();
  const chosen = names.length > 0 ? [...new Set(names)] : project.directives();
  const tools = await knownTools(project);
  const inspections = await Promise.all(chosen.map((name) => project.inspect(name, tools)));
  const strays = names.length > 0 ? [] : project.unnameable();
  const problems = [...inspections.flatMap((inspection) => inspection.problems), ...strays];
  const isBad = problems.some(({ severity }) => strict || severity === "error");
  return {
    kind: "directive.lint",
    exit: isBad ? EXIT.invalid : EXIT.ok,
    data: { problems, checked: chosen.length },
    text: problemLines(problems, session),
    hint: verdict(problems, chosen.length),
  };
}

function verdict(problems: readonly DirectiveProblem[], checked: number): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const found = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
  return `${counted(checked, "directive")} checked · ${found.join(" · ") || "nothing to complain about"}`;
}

async function make(session: Session, name: string, { xml, scripted = false }: NewOptions): Promise<Answer> {
  const project: OpenProject = session.openTrusted();
  const created = project.newDirective(name, { form: xml ? "xml" : "yaml", scripted });
  const next = [`selvage directive lint ${name}`, `selvage run ${name}`];
  return {
    kind: "directive.new",
    exit: 0,
    data: { name, created, next },
    text: created.map((path) => `Wrote ${path}`).join("\n"),
    hint: next.map((command) => `  ${command}`).join("\n"),
  };
}
