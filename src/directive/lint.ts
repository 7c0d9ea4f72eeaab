/** What a valid directive may still get wrong: names of things that are not there, and what will surprise its author. */
import { closest } from "../core/closest.ts";
import type { Complaint } from "../core/directive.ts";
import { hooksOfDirective } from "../core/hook-of-directive.ts";
import type { DirectiveProblem } from "../core/inspection.ts";
import { EXIT, PAGES, Problem } from "../core/problem.ts";
import { toolNamed } from "../core/right.ts";
import type { Path } from "../yaml/parse.ts";
import type { GoodDirective } from "./parse.ts";

/** What the directive is held against. What a project's trust forbids to look up is undefined, and not judged. */
export interface Surroundings {
  readonly directives: () => readonly string[];
  readonly tools?: readonly string[] | undefined;
  readonly modelProblem?: ((model: string) => Problem | undefined) | undefined;
  /** The model that a tier means here. */
  readonly modelOfTier?: ((tier: string) => string | Problem) | undefined;
}

type Strays = ReturnType<GoodDirective["strays"]>;

interface Finding {
  readonly path: Path;
  readonly code: string;
  readonly severity: DirectiveProblem["severity"];
  readonly message: string;
  readonly fix: string | null;
}

/** `loadConditions` must have been awaited for one with hooks. */
export function lintDirective(good: GoodDirective, file: string, around: Surroundings): DirectiveProblem[] {
  const strays = good.strays();
  const findings = [
    ...ignoredParts(good),
    ...missingParts(good),
    ...unusedInputs(good, strays),
    ...unknownTools(good, around),
    ...unknownHookDirectives(good, around),
    ...modelFindings(good, around),
  ];
  return [
    ...findings.map(({ path, ...finding }) => ({ path: file, ...good.placeOf(path, "key"), ...finding })),
    ...strayProblems(good, strays, file),
    ...hookProblems(good, file),
  ].sort((left, right) => left.line - right.line || left.column - right.column);
}

function warning(path: Path, code: string, message: string, fix: string): Finding {
  return { path, code, severity: "warning", message, fix };
}

function ignoredParts({ ignored, directive, form }: GoodDirective): Finding[] {
  const { tier, name } = ignored;
  const isOwnName = name === undefined || name === directive.name || directive.name.endsWith(`/${name}`);
  return [
    ...(isOwnName
      ? []
      : [
          warning(
            [],
            "W_NAME_IGNORED",
            `the name of this directive is its path, ${directive.name}`,
            `write name="${directive.name.split("/").at(-1)}"`,
          ),
        ]),
    ...(tier === undefined
      ? []
      : [
          warning(
            ["model", "tier"],
            "W_TIER_IGNORED",
            "tier has no effect beside id",
            form === "xml" ? "remove the attribute" : "remove tier",
          ),
        ]),
  ];
}

function missingParts({ directive, form, hasPart }: GoodDirective): Finding[] {
  const isXml = form === "xml";
  const findings: Finding[] = [];
  if (directive.description === "") {
    const fix = isXml ? "<description>What it does.</description>" : "description: What it does.";
    findings.push(warning([], "W_NO_DESCRIPTION", "it has no description", `add ${fix}`));
  }
  // A scripted model costs nothing that is real.
  if (directive.limits["spend"] === undefined && !directive.model.startsWith("scripted/")) {
    const fix = isXml ? '<limits max_spend="0.50" />' : 'limits: { spend: "0.50" }';
    const message =
      "it has no spend limit of its own: the default holds, and a parent cannot start it as a child";
    findings.push(warning(["limits"], "W_NO_SPEND_LIMIT", message, `add ${fix}`));
  }
  // An empty list is meant so.
  if (!hasPart("permissions")) {
    const fix = isXml
      ? '<permissions><execute action="tool.*" /></permissions>'
      : "permissions: [execute.tool.*]";
    const message = "it grants no rights: its model gets no tools";
    findings.push(warning([], "W_NO_RIGHTS", message, `add ${fix}`));
  }
  return findings;
}

/** What nobody fills in reaches the model as it is written: somebody forgot a brace, or what names may be. */
function strayProblems({ directive }: GoodDirective, strays: Strays, file: string): DirectiveProblem[] {
  const declared = Object.keys(directive.inputs);
  return strays.map(({ line, column, written, isClosed, meant }) => {
    const [near] = meant === undefined ? [] : closest(nameIn(meant), declared);
    const why = isClosed ? "is no placeholder: a name has letters, digits and _" : "has no closing brace";
    return {
      ...{ path: file, line, column, code: "W_PLACEHOLDER", severity: "warning" },
      message: `${written} ${why}; it stays in the prompt as it is`,
      fix: `write ${near !== undefined && isClosed ? `{input:${near}}` : (meant ?? "{input:NAME}")}`,
    };
  });
}

function nameIn(placeholder: string): string {
  return placeholder.replace(/^\{input:|\??\}$/g, "");
}

function unusedInputs({ directive }: GoodDirective, strays: Strays): Finding[] {
  // One that is written wrongly is told of once.
  const attempted = strays.flatMap(({ meant }) => (meant === undefined ? [] : [nameIn(meant)]));
  return Object.keys(directive.inputs)
    .filter((name) => !attempted.includes(name))
    .filter((name) => !new RegExp(`\\{input:${name}[?:}]`).test(directive.body))
    .map((name) =>
      warning(
        ["inputs", name],
        "W_UNUSED_INPUT",
        `the input "${name}" is not used in the prompt`,
        `write {input:${name}}, or remove it`,
      ),
    );
}

/** Said as an error, because a run is refused for it. */
function unknownTools({ rights }: GoodDirective, { tools }: Surroundings): Finding[] {
  if (!tools) return [];
  return rights.flatMap(({ right, path }) => {
    const tool = toolNamed(right);
    if (tool === undefined || tools.includes(tool)) return [];
    const [meant] = closest(tool.slice(0, 100), tools);
    return {
      path,
      code: "E_DIRECTIVE_INVALID",
      severity: "error" as const,
      message: `there is no tool "${tool}"; ${meant ? `did you mean "${meant}"?` : `there are ${tools.join(", ")}`}`,
      fix: meant ? `write execute.tool.${meant}` : "remove it",
    };
  });
}

function unknownHookDirectives({ directive }: GoodDirective, { directives }: Surroundings): Finding[] {
  const names = directive.hooks.length > 0 ? directives() : [];
  return directive.hooks.flatMap((hook, index) => {
    if (!("directive" in hook) || names.includes(hook.directive)) return [];
    const [meant] = closest(hook.directive, names);
    const message = `the hook ${hook.id} names a directive that is not there: ${hook.directive}`;
    const fix = meant ? `write ${meant}` : `selvage directive new ${hook.directive}`;
    return [warning(["hooks", index, "directive"], "W_HOOK_DIRECTIVE", message, fix)];
  });
}

/** Conditions and placeholders that name what is not there: a run is refused for them. */
function hookProblems({ directive, placeOf }: GoodDirective, file: string): DirectiveProblem[] {
  const read = hooksOfDirective(directive, file, (path) => placeOf(path, "value"));
  return "complaints" in read ? read.complaints.map(asProblem) : [];
}

export function asProblem({ file: path, line, column, message, fix }: Complaint): DirectiveProblem {
  const code = "E_DIRECTIVE_INVALID";
  return { path, line, column, code, severity: "error", message, fix: fix ?? null };
}

/** A model nobody could reach is wrong here; a key that only this machine lacks is not the directive's fault. */
function modelFindings({ directive }: GoodDirective, around: Surroundings): Finding[] {
  const { tier } = directive;
  const model = tier === undefined ? directive.model : around.modelOfTier?.(tier);
  const problem = model instanceof Problem ? model : model && around.modelProblem?.(model);
  if (!problem || PAGES[problem.code].exit !== EXIT.invalid) return [];
  const { code, message, why, next } = problem;
  const text = [message, why?.split("\n")[0]].filter(Boolean).join(" ");
  return [{ path: ["model"], code, severity: "error", message: text, fix: next[0]?.cmd ?? null }];
}
