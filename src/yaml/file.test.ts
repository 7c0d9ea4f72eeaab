import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { namesOn, readFrom, readText } from "./file.ts";

let root: string;
const shelf = () => ({ folder: join(root, "shelf"), extension: ".md" });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-file-"));
  mkdirSync(join(root, "shelf/sub"), { recursive: true });
  writeFileSync(join(root, "shelf/a.md"), "A");
  writeFileSync(join(root, "shelf/sub/b.md"), "B");
  writeFileSync(join(root, "secret.md"), "secret");
});
afterEach(() => rmSync(root, { recursive: true }));

test("a file is read by its name, also in a folder below", () => {
  expect(readFrom(shelf(), "a")).toEqual({ text: "A" });
  expect(readFrom(shelf(), "sub/b")).toEqual({ text: "B" });
  expect(readFrom(shelf(), "c")).toEqual({ missing: true });
  expect(readFrom(shelf(), "a/c")).toEqual({ missing: true });
});

test("a link may stay in its folder, not leave it", () => {
  symlinkSync(join(root, "shelf/sub/b.md"), join(root, "shelf/inside.md"));
  symlinkSync(join(root, "secret.md"), join(root, "shelf/outside.md"));
  symlinkSync(root, join(root, "shelf/up"));
  expect(readFrom(shelf(), "inside")).toEqual({ text: "B" });
  expect(readFrom(shelf(), "outside")).toEqual({ refused: "it is a link that leaves its folder" });
  expect(readFrom(shelf(), "up/secret")).toEqual({ refused: "it is a link that leaves its folder" });
});

test("what is no text of a sane size is refused", () => {
  mkdirSync(join(root, "shelf/folder.md"));
  writeFileSync(join(root, "shelf/binary.md"), Buffer.from([0xff, 0xfe, 0x41]));
  writeFileSync(join(root, "shelf/big.md"), "x".repeat(1_048_577));
  symlinkSync("loop.md", join(root, "shelf/loop.md"));
  expect(readFrom(shelf(), "folder")).toEqual({ refused: "it is not a file" });
  expect(readFrom(shelf(), "binary")).toEqual({ refused: "it is not UTF-8 text" });
  expect(readFrom(shelf(), "big")).toEqual({ refused: "it is larger than 1048576 bytes" });
  expect(readFrom(shelf(), "loop")).toEqual({ refused: "it cannot be read (ELOOP)" });
});

test("a byte order mark is not part of the text", () => {
  writeFileSync(join(root, "marked"), "\ufefftext");
  expect(readText(join(root, "marked"))).toEqual({ text: "text" });
});

test("names are those that can be asked for", () => {
  writeFileSync(join(root, "shelf/UPPER.md"), "");
  writeFileSync(join(root, "shelf/.hidden.md"), "");
  writeFileSync(join(root, "shelf/notes.txt"), "");
  symlinkSync("nowhere", join(root, "shelf/dangling.md"));
  symlinkSync(join(root, "shelf"), join(root, "shelf/cycle"));
  expect(namesOn(shelf())).toEqual(["a", "sub/b"]);
  expect(namesOn({ folder: join(root, "none"), extension: ".md" })).toEqual([]);
});
