/** docs/cli.md, from the commands themselves. */
import type { Argument, Command, Option } from "commander";
import { EXIT } from "../src/core/exit.ts";
import { allCommands, buildProgram } from "../src/surface/cli/program.ts";

const LEAD = `Every command and flag, as \`selvage COMMAND --help\` has them. Data goes to stdout, everything else to stderr. Wherever an id is asked for, a
unique beginning will do, or the directive's name if one live thread has it, or \`@last\`, \`@root\`, \`@suspended\`.

With \`--json\` there is one document on stdout: \`{v, kind, ok, exit, data, warnings}\`, or \`{v, kind: "error", ok: false, exit, error: {code, what, why,
next}}\`. \`--jsonl\` is a stream that ends with one record of kind \`thread.result\` or \`error\`. \`ok\` is true exactly when the exit code is 0.`;

const program = buildProgram({ write: () => {}, play: async () => {} }, await allCommands());
const commands = program.commands.filter((command) => !isHidden(command));

/** What `selvage --help` says about each command, for who has not loaded it. */
export function listedModule(): string {
  const { subcommandTerm, subcommandDescription } = program.createHelp();
  const rows = commands.map((command) => `${subcommandTerm(command)}\t${subcommandDescription(command)}`);
  return textModule("The commands as `--help` lists them.", "LISTED", rows.join("\n"));
}

/** The same of the help of each of them. */
export function helpModule(): string {
  const pages = commands.flatMap((command) => pagesOf(command, command.name()));
  return textModule("The help of each command, read by help-page.ts.", "HELP_PAGES", pages.join("\n\n"));
}

function pagesOf(command: Command, path: string): string[] {
  const help = program.createHelp();
  const rows = <T>(title: string, found: readonly T[], term: (of: T) => string, about: (of: T) => string) =>
    found.length === 0 ? [] : [title, ...found.map((each) => `${term(each)}\t${about(each)}`)];
  const lines = [
    `# ${path}`,
    help.commandUsage(command),
    help.commandDescription(command),
    ...rows("Arguments", help.visibleArguments(command), help.argumentTerm, help.argumentDescription),
    ...rows("Options", help.visibleOptions(command), help.optionTerm, (each) => help.optionDescription(each)),
    ...rows("Commands", help.visibleCommands(command), help.subcommandTerm, help.subcommandDescription),
  ];
  const below = command.commands.filter((member) => !isHidden(member));
  return [lines.join("\n"), ...below.flatMap((member) => pagesOf(member, `${path} ${member.name()}`))];
}

function textModule(about: string, name: string, text: string): string {
  const spelled = text.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
  return `/** ${about} Made by \`npm run docs\`: change the commands, not this file. */
export const ${name} = \`
${spelled}
\`;
`;
}

/** In the order of `--help`. */
export function cliPage(): { readonly lead: string; readonly lines: readonly string[] } {
  return {
    lead: LEAD,
    lines: [
      "## Exit codes",
      "",
      "| code | name |",
      "|---|---|",
      ...Object.entries(EXIT).map(([name, code]) => `| ${code} | ${name.replaceAll("_", "-")} |`),
      "",
      "## Everywhere",
      "",
      ...optionTable(program.options),
      ...commands.flatMap((command) => sectionOf(command, "selvage")),
    ],
  };
}

function sectionOf(command: Command, above: string): string[] {
  const name = `${above} ${command.name()}`;
  const members = command.commands.filter((member) => !isHidden(member));
  const words = command.registeredArguments.map(word).join(" ");
  return [
    "",
    `## \`${[name, words].filter((part) => part !== "").join(" ")}\``,
    "",
    sentence(command.description()),
    ...argumentTable(command.registeredArguments),
    ...optionTable(command.options),
    ...members.flatMap((member) => sectionOf(member, name)),
  ];
}

/** What commander hides from `--help`; there is no public way to ask it. */
function isHidden(command: Command): boolean {
  return (command as unknown as { readonly _hidden?: boolean })._hidden === true;
}

function word(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentTable(found: readonly Argument[]): string[] {
  const rows = found.filter(({ description }) => description !== "");
  if (rows.length === 0) return [];
  return [
    "",
    "| argument | meaning |",
    "|---|---|",
    ...rows.map((argument) => `| \`${argument.name()}\` | ${cell(argument.description)} |`),
  ];
}

function optionTable(found: readonly Option[]): string[] {
  const rows = found.filter(({ hidden }) => !hidden);
  if (rows.length === 0) return [];
  return [
    "",
    "| flag | meaning |",
    "|---|---|",
    ...rows.map(({ flags, description }) => `| \`${flags.replaceAll("|", "\\|")}\` | ${cell(description)} |`),
  ];
}

function sentence(text: string): string {
  const first = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
