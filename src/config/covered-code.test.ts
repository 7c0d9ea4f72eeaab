import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { coveredCode, mayBeIn } from "./covered-code.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "selvage-test-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "#!/bin/sh\n");
  }
}

const found = (text: string) => coveredCode(root, [], [text]).sort();

test("of many words those that are scripts of the project", () => {
  write("check.sh", "scripts/a.sh", "scripts/b", "Scripts.md");
  const text =
    "command: [bash, ./check.sh, --with, scripts/a.sh, 'scripts/b']\n# no script: check, scripts, a.sh";
  expect(found(text)).toEqual(["check.sh", "scripts/a.sh", "scripts/b"]);
});

test("by every way that leads there", () => {
  write("scripts/a.sh", ".hidden/b.sh");
  for (const way of [
    "scripts/a.sh",
    "./scripts/a.sh",
    "scripts//a.sh",
    `${root}/scripts/a.sh`,
    "x/../scripts/a.sh",
  ])
    expect([way, found(`run: ${way}`)]).toEqual([way, ["scripts/a.sh"]]);
  expect(found("run: .hidden/b.sh")).toEqual([".hidden/b.sh"]);
});

test("names that are not plain are looked for as well", () => {
  write("prüfe.sh", "two words.sh", "plain.sh");
  expect(found(`"prüfe.sh" "two words.sh" plain.sh`)).toEqual(["plain.sh", "prüfe.sh", "two words.sh"]);
});

test.each<[names: readonly string[] | undefined, word: string, mayBe: boolean]>([
  [["run.sh", "src"], "run.sh", true],
  [["run.sh", "src"], "src/deep/x.sh", true],
  [["run.sh", "src"], "word", false],
  [["run.sh", "src"], "other/x.sh", false],
  // Some disks take another spelling for the same name.
  [["Run.sh"], "rUN.sh", true],
  [["K\u0131t.sh"], "kit.sh", true],
  [["kit.sh"], "\u212ait.sh", true],
  [[], "./x", true],
  [[], "../project/x", true],
  [[], "a/../x", true],
  [[], "/x", true],
  [[], "~/x", true],
  [[], "two words", true],
  [undefined, "word", true],
])("in a folder with %j, %j may be one: %j", (names, word, mayBe) => {
  expect(mayBeIn(names)(word)).toBe(mayBe);
});
