import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSigned, signedMessage, takesSignature, toBeSigned, withSignature } from "./signed-line.ts";

const line = {
  at: "2026-11-02T10:00:00.000Z",
  sha256: "0123456789abcdef".repeat(4),
  signer: `ed25519:${"A".repeat(43)}`,
  signature: "b".repeat(85).concat("Q"),
};
const WORDS = `selvage:signed v1 ${line.at} ${line.sha256} ${line.signer} ${line.signature}`;

test.each([
  ["a.md", `<!-- ${WORDS} -->\n`],
  ["a.yaml", `# ${WORDS}\n`],
  ["a.yml", `# ${WORDS}\n`],
  ["a.js", `// ${WORDS}\n`],
  ["a.mts", `// ${WORDS}\n`],
])("%s bears it as a comment on its last line", (path, written) => {
  expect(withSignature(path, "one\n", line)).toBe(`one\n${written}`);
  expect(readSigned(path, `one\n${written}`)).toEqual({ content: "one\n", line });
});

test.each(["a.json", "a.png", "README", "a.MD", "a.constructor", ".md/a"])("%s takes none", (path) => {
  expect(takesSignature(path)).toBe(false);
});

test.each([
  ["no newline at the end", "one", "one\n"],
  ["an empty file", "", ""],
  ["line ends of another system", "one\r\ntwo", "one\r\ntwo\r\n"],
  ["a signature that is there", `one\n<!-- ${WORDS} -->\n`, "one\n"],
  [
    "two of them: only the last is ours to replace",
    `<!-- ${WORDS} -->\n<!-- ${WORDS} -->\n`,
    `<!-- ${WORDS} -->\n`,
  ],
  ["a damaged one that is last", "one\n<!-- selvage:signed v1 2026 -->\n\n", "one\n"],
  ["one that text was added to", `<!-- ${WORDS} -->\nmore\n`, `<!-- ${WORDS} -->\nmore\n`],
])("what a new signature covers: %s", (_, text, covered) => {
  expect(toBeSigned("a.md", text)).toBe(covered);
});

describe("only a whole line at the very end is a signature", () => {
  const whole = `one\n<!-- ${WORDS} -->\n`;
  test.each([
    ["text after it", `${whole}more\n`],
    ["an empty line after it", `${whole}\n`],
    ["no newline after it", whole.slice(0, -1)],
    ["another line end than the line before", `${whole.slice(0, -1)}\r\n`],
    ["a space before it", whole.replace("<!--", " <!--")],
    ["a space more", whole.replace("signed v1", "signed  v1")],
    ["a word more", whole.replace(" -->", " x -->")],
    ["another version", whole.replace(" v1 ", " v2 ")],
    ["a key written in another way", whole.replace(`${"A".repeat(43)} `, `${"A".repeat(42)}B `)],
    ["a signature written in another way", whole.replace("bQ -->", "bR -->")],
    ["a hash in capitals", whole.replace("abcdef ", "ABCDEF ")],
  ])("%s", (_, text) => {
    const read = readSigned("a.md", text);
    expect(read.line).toBeUndefined();
    expect(read.damaged).toBe(2);
    expect(read.content).toBe(text);
  });

  test("text without one is not damaged", () => {
    expect(readSigned("a.md", "about selvage:signed\n")).toEqual({ content: "about selvage:signed\n" });
  });
});

test("what is written is read back, and signing again covers the same", () => {
  const path = fc.constantFrom("a.md", "b/c.yaml", "d.ts");
  fc.assert(
    fc.property(
      path,
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "\r\n", "#", "/", "\ufeff", "é") }),
      (at, text) => {
        const content = toBeSigned(at, text);
        const signed = withSignature(at, content, line);
        expect(readSigned(at, signed)).toEqual({ content, line });
        expect(toBeSigned(at, signed)).toBe(content);
      },
    ),
  );
});

test("path, time, hash and signer are all part of what is signed", () => {
  const { signature: _, ...rest } = line;
  const messages = [
    signedMessage("a.md", rest),
    signedMessage("b.md", rest),
    signedMessage("a.md", { ...rest, at: "2026-11-03T10:00:00Z" }),
    signedMessage("a.md", { ...rest, sha256: "0".repeat(64) }),
    signedMessage("a.md", { ...rest, signer: `ed25519:${"E".repeat(43)}` }),
  ];
  expect(new Set(messages).size).toBe(messages.length);
});
