import { expect, test } from "vitest";
import { toAscii, VIEWS } from "./glyph.ts";
import { readLook } from "./look.ts";
import { age, bytes, duration } from "./moment.ts";
import { table } from "./table.ts";

const tty = { out: { isTTY: true }, err: { isTTY: true } };
const piped = { out: { isTTY: false }, err: { isTTY: true } };

test("stdout and stderr are judged separately", () => {
  expect(readLook([], {}, tty).colour).toEqual({ out: true, err: true });
  expect(readLook([], {}, piped).colour).toEqual({ out: false, err: true });
});

test.each([
  [["--no-color"], {}],
  [[], { NO_COLOR: "1" }],
  [[], { TERM: "dumb" }],
  [["--no-color"], { FORCE_COLOR: "1" }],
  [[], { NO_COLOR: "1", FORCE_COLOR: "1" }],
])("%j with %j has no colour", (argv, environment) => {
  expect(readLook(argv, environment, tty).colour).toEqual({ out: false, err: false });
});

test("colour can be forced", () => {
  expect(readLook([], { FORCE_COLOR: "1" }, piped).colour.out).toBe(true);
  expect(readLook([], { FORCE_COLOR: "0" }, piped).colour.out).toBe(false);
  expect(readLook([], { NO_COLOR: "" }, tty).colour.out).toBe(true);
});

test.each([
  [["ps"], {}, false],
  [["ps", "--ascii"], { LANG: "C.UTF-8" }, true],
  [[], { TERM: "dumb" }, true],
  [[], { LC_ALL: "C" }, true],
  [[], { LC_ALL: "C", LANG: "en_US.UTF-8" }, true],
  [[], { LANG: "de_DE.utf8" }, false],
])("%j with %j: ASCII is %s", (argv, environment, ascii) => {
  expect(readLook(argv, environment, tty).ascii).toBe(ascii);
});

test("flags count before `--` only", () => {
  expect(readLook(["--json"], {}, tty).format).toBe("json");
  expect(readLook(["--json", "--jsonl"], {}, tty).format).toBe("jsonl");
  expect(readLook(["show", "--", "--json"], {}, tty).format).toBe("human");
});

test("every sign has one ASCII column", () => {
  for (const { glyph, ascii } of Object.values(VIEWS)) {
    expect([...glyph]).toHaveLength(1);
    expect(ascii).toMatch(/^[\x21-\x7e]$/);
    expect(toAscii(glyph)).toMatch(/^[\x20-\x7e]+$/);
  }
});

test.each([
  [0, "0s"],
  [59_999, "59s"],
  [60_000, "1m"],
  [3_600_000, "1h"],
  [4_320_000, "1h12"],
  [200_000_000, "2d"],
  [-5, "0s"],
])("age of %i ms is %s", (ms, text) => {
  expect(age(ms)).toBe(text);
});

test("durations and sizes", () => {
  expect([90, 12_400, 124_000].map(duration)).toEqual(["0.1s", "12s", "2m 04s"]);
  expect([12, 2_100, 3_000_000].map(bytes)).toEqual(["12 B", "2.1 kB", "3.0 MB"]);
});

test("tables are aligned and cut to the width", () => {
  expect(
    table(
      [
        ["a", "bb", "c"],
        ["aaa", "b", "long text"],
      ],
      12,
    ),
  ).toEqual(["a    bb  c", "aaa  b   lo…"]);
});
