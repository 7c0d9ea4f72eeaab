import { expect, test } from "vitest";
import { allCommands, buildProgram, COMMAND_NAMES, commandsFor, type MakeCommand } from "./program.ts";

const all = await allCommands();

function built(commands: readonly MakeCommand[]) {
  return buildProgram({ play: async () => {}, write: () => {} }, commands);
}

function helpOf(commands: readonly MakeCommand[], name: string): string | undefined {
  return built(commands)
    .commands.find((command) => command.name() === name)
    ?.helpInformation();
}

test("the table names each command as it calls itself", () => {
  expect(built(all).commands.map((command) => command.name())).toEqual(COMMAND_NAMES);
});

test.each(COMMAND_NAMES)("%s alone is what it is among all", async (name) => {
  const asked = await commandsFor([name, "--help"]);
  expect(helpOf(asked, name)).toBe(helpOf(all, name));
});

test.each<[string, string[]]>([
  ["ps -a", ["ps"]],
  ["-C there ps", ["ps"]],
  ["", []],
  ["nonsense", []],
  ["constructor", []],
])("%j loads %j", async (line, names) => {
  const commands = await commandsFor(line.split(" ").filter((word) => word !== ""));
  expect(built(commands).commands.map((command) => command.name())).toEqual(names);
});

test.each(["--project=there ps", "-- ps", "help"])("%j loads all", async (line) => {
  expect(await commandsFor(line.split(" "))).toEqual(all);
});

test("help and completion know all others, and one of them in full", async () => {
  for (const line of [
    ["help", "ps"],
    ["__complete", "--", "ps", "--st"],
  ]) {
    const commands = await commandsFor(line);
    const names = built(commands).commands.map((command) => command.name());
    expect(names.filter((name) => name !== "__complete")).toEqual(
      COMMAND_NAMES.filter((name) => name !== "__complete"),
    );
    expect(helpOf(commands, "ps")).toBe(helpOf(all, "ps"));
    expect(commands.filter((make) => all.includes(make))).toHaveLength(2);
  }
});
