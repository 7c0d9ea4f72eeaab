import { expect, test } from "vitest";
import { diskWhy, isDiskError, unwritable, writing } from "./disk-error.ts";
import { Problem } from "./problem.ts";

const said = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: as the system says it`), { code, ...more });

test.each<[string, unknown, boolean]>([
  ["a full disk, told by an open file", said("ENOSPC", { syscall: "write" }), true],
  ["a quota", said("EDQUOT", { syscall: "write" }), true],
  ["a file as large as files may be", said("EFBIG", { syscall: "write" }), true],
  ["a disk that is only read", said("EROFS", { syscall: "open", path: "/x" }), true],
  ["a disk that fails while it flushes", said("EIO", { syscall: "fsync" }), true],
  ["a folder that was refused, and so is not there", said("ENOENT", { syscall: "mkdir", path: "/x" }), true],
  ["a file that may not be opened", said("EACCES", { syscall: "open", path: "/x" }), true],
  ["a file in the way", said("ENOTDIR", { syscall: "open", path: "/x" }), true],
  ["a port that may not be listened on", said("EACCES", { syscall: "listen" }), false],
  ["a terminal that is gone", said("EIO", { syscall: "setRawMode" }), false],
  ["a file that is not there", said("ENOENT", { syscall: "open", path: "/x" }), false],
  ["a fault of ours", new TypeError("x is not a function"), false],
  ["no error at all", "ENOSPC", false],
])("%s", (_, error, expected) => {
  expect(isDiskError(error)).toBe(expected);
});

test.each([
  [said("ENOSPC"), "The disk is full (ENOSPC: as the system says it)."],
  [said("EROFS"), "The file system is read-only (EROFS: as the system says it)."],
  [
    said("ENOENT", { syscall: "mkdir" }),
    "Its folder cannot be made: the disk is full or read-only, or a folder above it is gone (ENOENT: as the system says it).",
  ],
  [new Error("it is a link that leaves the project"), "it is a link that leaves the project"],
  ["it is a pipe", "it is a pipe"],
])("why: %s", (cause, why) => {
  expect(diskWhy(cause)).toBe(why);
});

test("what fails while a file is written is told with its path; what was told already stays as it is", () => {
  const full = said("ENOSPC");
  const next = [{ cmd: "selvage x", why: "elsewhere" }];
  expect(() =>
    writing(
      "a.yaml",
      () => {
        throw full;
      },
      next,
    ),
  ).toThrow(
    expect.objectContaining({ code: "E_DISK", what: "a.yaml cannot be written.", cause: full, next }),
  );
  const told = new Problem("E_BUNDLE_INVALID", { what: "No." });
  expect(() =>
    writing("a.yaml", () => {
      throw told;
    }),
  ).toThrow(told);
  expect(writing("a.yaml", () => 3)).toBe(3);
  expect(unwritable("a.yaml", "it is a pipe")).toMatchObject({ code: "E_DISK", why: "it is a pipe" });
});
