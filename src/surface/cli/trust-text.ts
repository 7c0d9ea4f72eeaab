/** What a person is shown before a yes to a project: what it would run, what changed, and what it asks for. */
import { oneLine } from "../../core/text.ts";
import type { CoveredFile, CoveredKind, TrustSurvey } from "../../core/trust-survey.ts";
import type { OpenProject } from "./house.ts";
import { counted } from "./moment.ts";
import { table } from "./table.ts";

const TITLES: Readonly<Record<CoveredKind, string>> = {
  tool: "tool",
  hooks: "hooks",
  providers: "providers",
  config: "config",
  settings: "settings",
  mcp: "MCP",
  directive: "directive head",
  code: "code",
};

const SIGNS = { new: "new", changed: "changed", gone: "gone" } as const;
/** A person reads no more at once; `--json` has all of it. */
const MOST_FILES = 60;

export function trustText(project: OpenProject, survey: TrustSurvey, width: number): string {
  const { tools } = project;
  const directives = project.directives();
  const changed = survey.files.filter(({ change }) => survey.trustedAt !== null && change !== undefined);
  const rest = survey.files.filter((file) => !changed.includes(file));
  return [
    headline(project, survey),
    ...section(`changed since ${survey.trustedAt ?? "then"}`, fileRows(changed), width),
    ...section(changed.length > 0 ? "as it was" : "what it runs and obeys", fileRows(rest), width),
    ...section("variables it asks for", variableRows(survey), width),
    `  directives   ${directives.length === 0 ? "none" : directives.join(", ")}`,
    `  tools        ${tools.join(", ")} (bash runs any command as you)`,
  ].join("\n");
}

function headline({ root, trusted, changedFiles }: OpenProject, { trustedAt }: TrustSurvey): string {
  if (trusted) return `${root} is trusted.`;
  if (trustedAt === null) return `${root} is not trusted.`;
  return `${root} is not trusted any more: ${counted(changedFiles.length, "file")} changed.`;
}

function section(title: string, rows: readonly (readonly string[])[], width: number): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MOST_FILES);
  const more =
    rows.length > shown.length ? [`    … and ${rows.length - shown.length} more (--json has all)`] : [];
  return [`  ${title}`, ...table(shown, width - 4).map((line) => `    ${line}`), ...more];
}

/** One row for each thing that a file means; its name stands before the first. */
function fileRows(files: readonly CoveredFile[]): string[][] {
  return files.flatMap(({ path, kind, change, hash, means }) => {
    const isNews = change !== undefined;
    const [first = "", ...others] = means;
    const name = oneLine(path, 80);
    const row = [name, TITLES[kind], isNews ? SIGNS[change] : "", hash?.slice(0, 8) ?? "", first];
    return [row, ...others.map((line) => ["", "", "", "", line])];
  });
}

function variableRows({ variables }: TrustSurvey): string[][] {
  return variables.map(({ name, isSet, use, path }) => [
    name,
    isSet ? "set" : "not set",
    `${use} (${oneLine(path, 80)})`,
  ]);
}
