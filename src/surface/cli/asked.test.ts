import { expect, test } from "vitest";
import { asksVersion, commandAsked, helpAsked } from "./asked.ts";

test.each<[string, string | null | undefined]>([
  ["", null],
  ["ps", "ps"],
  ["ps -C there run", "ps"],
  ["-C there ps", "ps"],
  ["--project there -q --json ps -a", "ps"],
  ["-C", null],
  ["-q -y", null],
  ["nonsense ps", "nonsense"],
  // The parser knows what these mean.
  ["--project=there ps", undefined],
  ["-qC there ps", undefined],
  ["-Cthere ps", undefined],
  ["-- ps", undefined],
  ["--help ps", undefined],
  ["--unknown ps", undefined],
])("%j asks for %s", (line, command) => {
  expect(commandAsked(words(line))).toBe(command);
});

test.each<[string, string | undefined]>([
  ["--help", ""],
  ["-h", ""],
  ["--json --help", ""],
  ["--help -h --ascii", ""],
  ["ps --help", "ps"],
  ["proc logs -q --help --json", "proc logs"],
  ["", undefined],
  ["--json", undefined],
  ["--help ps", undefined],
  ["help", undefined],
  ["-C there --help", undefined],
  ["ps -a --help", undefined],
  ["-- --help", undefined],
])("%j asks for the help of %j", (line, command) => {
  expect(helpAsked(words(line))).toBe(command);
});

test("what stands after -- is nobody's flag", () => {
  expect(asksVersion(["ps", "--version"])).toBe(true);
  expect(asksVersion(["send", "id", "--", "--version"])).toBe(false);
});

function words(line: string): string[] {
  return line.split(" ").filter((word) => word !== "");
}
