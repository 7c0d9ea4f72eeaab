import type { Command } from "commander";
import { expect, test } from "vitest";
import { helpText, readPage } from "./help-page.ts";
import { HELP_PAGES } from "./help-pages.ts";
import { allCommands, buildProgram } from "./program.ts";
import { rootHelp } from "./root-help.ts";

const commands = await allCommands();
const WIDTHS = [undefined, 0, 30, 60, 79, 80, 81, 82, 100, 120, 200];

function program(columns: number | undefined): Command {
  const whole = buildProgram({ play: async () => {}, write: () => {} }, commands);
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
  if (columns !== undefined)
    for (const each of below(whole)) each.configureOutput({ getOutHelpWidth: () => columns });
  return whole;
}

test.each(WIDTHS)("on %s columns the list is what the parser prints", (columns) => {
  expect(rootHelp(columns)).toBe(program(columns).helpInformation());
});

test.each(WIDTHS)("on %s columns the help of each command is what the parser prints", (columns) => {
  const check = (command: Command, path: string): void => {
    const page = readPage(HELP_PAGES, path);
    expect(page && helpText(page, columns), path).toBe(command.helpInformation());
    for (const member of command.commands) check(member, `${path} ${member.name()}`);
  };
  for (const command of program(columns).commands)
    if (!command.name().startsWith("_")) check(command, command.name());
});

test.each(["nonsense", "p", "proc nonsense", "", "__complete"])("there is no page of %j", (path) => {
  expect(readPage(HELP_PAGES, path)).toBeUndefined();
});
