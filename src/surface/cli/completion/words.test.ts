import { expect, test } from "vitest";
import { allCommands, buildProgram } from "../program.ts";
import { commandsWithValues } from "./kinds.ts";
import { completionOf } from "./words.ts";

const program = buildProgram({ play: async () => {}, write: () => {} }, await allCommands());

test("the table of values names commands that there are", () => {
  const names = program.commands.flatMap((command) => [
    command.name(),
    ...command.commands.map((verb) => `${command.name()} ${verb.name()}`),
  ]);
  expect(commandsWithValues().filter((name) => !names.includes(name))).toEqual([]);
});

test.each<[string[], string | undefined, string[]]>([
  [["show", ""], "thread", []],
  [["-C", "x", "show", ""], "thread", []],
  [["run", "hello", ""], "input", ["hello"]],
  [["-C", ""], "file", []],
  [["cost", "--by", ""], "cost", []],
  [["proc", "logs", ""], undefined, []],
  [["send", "id", ""], undefined, ["id"]],
  [["show", "--", "-x", ""], "thread", ["-x"]],
])("%j wants %s", (typed, kind, given) => {
  expect(completionOf(program, typed)).toMatchObject({ kind, given });
});
