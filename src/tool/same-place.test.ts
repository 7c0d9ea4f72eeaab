import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inFolder, requirePlace } from "./same-place.ts";

/** A folder `way` that leads to `secret` by now, and a file in each. */
function swapped(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "selvage-place-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ["way", "secret"]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "file"), name);
  }
  return root;
}

function swap(root: string): void {
  renameSync(join(root, "way"), join(root, "old"));
  symlinkSync("secret", join(root, "way"));
}

test("what was opened after a folder of its path became a link is refused", () => {
  const root = swapped();
  const path = join(root, "way/file");
  expect(() => requirePlace(openSync(path, "r"), path)).not.toThrow();
  swap(root);
  expect(() => requirePlace(openSync(path, "r"), path)).toThrow("replaced by a link");
});

test("a folder that became a link is not worked in", () => {
  const root = swapped();
  swap(root);
  expect(() => inFolder(join(root, "way"), () => expect.unreachable())).toThrow();
});

test("a folder that becomes a link while it is worked in stays the one that it was", () => {
  const root = swapped();
  inFolder(join(root, "way"), (held) => {
    swap(root);
    writeFileSync(join(held, "file"), "written");
  });
  expect(readFileSync(join(root, "secret/file"), "utf8")).toBe("secret");
  expect(readFileSync(join(root, "old/file"), "utf8")).toBe("written");
});
