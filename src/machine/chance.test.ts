import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { randomBytes, sha256 } from "./chance.ts";

test.each(["", "abc", "grüße 🧵", "x".repeat(100_000)])(
  "the digest of %.10s is the SHA-256 of its UTF-8 bytes",
  (text) => {
    expect(sha256(text)).toBe(createHash("sha256").update(Buffer.from(text, "utf8")).digest("hex"));
  },
);

test("chance has the length asked for and does not repeat", () => {
  expect(randomBytes(16)).toHaveLength(16);
  expect(randomBytes(16)).not.toEqual(randomBytes(16));
});
