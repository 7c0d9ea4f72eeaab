import { expect, test } from "vitest";
import { tarOf } from "./tar.ts";

test("a head with the sum of its bytes, the content, and two empty blocks at the end", () => {
  const bytes = new TextEncoder().encode("hello\n");
  const archive = tarOf([{ name: "a/b.txt", bytes }]);
  expect(archive.length).toBe(512 * 4);
  const text = (from: number, to: number) => new TextDecoder().decode(archive.slice(from, to));
  expect(text(0, 8)).toBe("a/b.txt\0");
  expect(text(124, 135)).toBe("00000000006");
  expect(text(257, 263)).toBe("ustar\0");
  expect(text(512, 518)).toBe("hello\n");
  const sum = [...archive.slice(0, 512)].reduce(
    (total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte),
    0,
  );
  expect(Number.parseInt(text(148, 154), 8)).toBe(sum);
});

test("a file whose length is a whole number of blocks is not padded", () => {
  expect(tarOf([{ name: "x", bytes: new Uint8Array(512) }]).length).toBe(512 * 4);
  expect(tarOf([]).length).toBe(1024);
});
