import * as fc from "fast-check";
import { expect, test } from "vitest";
import { transcriptReply } from "./chat-transcript.ts";

const MANNERS = { editEveryMs: 1, longestText: 400, largestFile: 1_000 };
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

test("a transcript that fits is the file", () => {
  const { file, text } = transcriptReply("team/a-1-x", "# a\n", MANNERS);
  expect({ ...file, bytes: textOf(file?.bytes), text }).toEqual({
    ...{ name: "team-a-1-x.md", type: "text/markdown", bytes: "# a\n" },
    text: "The transcript is in the file.",
  });
});

test("of one that does not, its end is", () => {
  const { file, text } = transcriptReply("a", `${"ü€𝄞x".repeat(500)}END`, MANNERS);
  expect(textOf(file?.bytes)).toMatch(/^\(The beginning was too long for this chat\.\)\n\n[\s\S]*END$/);
  expect(text).toContain("last part");
});

test("where no file is taken, the end is told as text", () => {
  const { file, text } = transcriptReply("a", `${"words ".repeat(500)}END`, { ...MANNERS, largestFile: 0 });
  expect(file).toBeUndefined();
  expect(text.endsWith("END")).toBe(true);
});

test("whatever it is, neither the file nor the text is larger than the platform takes", () => {
  const lengths = fc.record({
    longestText: fc.integer({ min: 100, max: 900 }),
    largestFile: fc.integer({ min: 0, max: 900 }),
  });
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), lengths, (markdown, lengths) => {
      const { file, text, instead } = transcriptReply("a-1-x", markdown, { ...MANNERS, ...lengths });
      expect(file?.bytes.length ?? 0).toBeLessThanOrEqual(lengths.largestFile);
      expect(Math.max(text.length, instead.length)).toBeLessThanOrEqual(lengths.longestText);
      if (file) textOf(file.bytes);
    }),
  );
});
