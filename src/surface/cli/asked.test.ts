import { expect, test } from "vitest";
import { asksRootHelp, asksVersion, commandAsked } from "./asked.ts";

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

test.each<[string, boolean]>([
  ["--help", true],
  ["-h", true],
  ["--json --help", true],
  ["--help -h --ascii", true],
  ["", false],
  ["--json", false],
  ["ps --help", false],
  ["--help ps", false],
  ["help", false],
  ["-C there --help", false],
  ["-- --help", false],
])("%j asks for the list of commands: %s", (line, asks) => {
  expect(asksRootHelp(words(line))).toBe(asks);
});

test("what stands after -- is nobody's flag", () => {
  expect(asksVersion(["ps", "--version"])).toBe(true);
  expect(asksVersion(["send", "id", "--", "--version"])).toBe(false);
});

function words(line: string): string[] {
  return line.split(" ").filter((word) => word !== "");
}
