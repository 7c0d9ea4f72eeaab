import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPromptParts } from "./prompt-parts.ts";

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "selvage-prompt-")));
  root = join(base, "repository/packages/app");
  mkdirSync(join(root, ".ai"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string, text: string | Buffer): void {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

const seen = () => readPromptParts(root).map(({ source, text, note }) => [source, note ?? text]);

test("an empty project says nothing, and empty files neither", () => {
  expect(readPromptParts(root)).toEqual([]);
  put(".ai/identity.md", " \n");
  put("AGENTS.md", "");
  mkdirSync(join(root, ".ai/skills/empty"), { recursive: true });
  expect(readPromptParts(root)).toEqual([]);
});

test("everything there is, in order, each with its source", () => {
  put(".ai/identity.md", "I am a planner.");
  put(".ai/memory.md", "The user likes tabs.");
  put("AGENTS.md", "Run the tests.");
  put(
    ".ai/skills/deploy/SKILL.md",
    "---\nname: deploy\ndescription: Puts it online.\nlicense: MIT\n---\nSecret body.",
  );
  put(".ai/knowledge/sql/joins.md", "Body.");
  put(".ai/knowledge/http.md", "Body.");
  expect(seen()).toEqual([
    [".ai/identity.md", "I am a planner."],
    [".ai/memory.md", "The user likes tabs."],
    ["AGENTS.md", "Run the tests."],
    [".ai/skills", "- deploy: Puts it online. (.ai/skills/deploy/SKILL.md)"],
    [".ai/knowledge", "- .ai/knowledge/http.md\n- .ai/knowledge/sql/joins.md"],
  ]);
  expect(JSON.stringify(readPromptParts(root))).not.toContain("ody.");
  const how = (mayLoad: boolean) => readPromptParts(root, mayLoad).map(({ about }) => about.split(":")[1]);
  expect(how(false).slice(3)).toEqual([" read the file of one before you use it", " files that can be read"]);
  expect(how(true).slice(3)).toEqual([
    " load one by its path under .ai/skills before you use it",
    " load one by its path under .ai/knowledge, without .md",
  ]);
});

describe("AGENTS.md", () => {
  const repository = () => mkdirSync(join(base, "repository/.git"));

  test("the nearest on the way up to the repository wins", () => {
    repository();
    put("../../AGENTS.md", "far");
    expect(seen()).toEqual([["../../AGENTS.md", "far"]]);
    put("../AGENTS.md", "near");
    expect(seen()).toEqual([["../AGENTS.md", "near"]]);
    put("AGENTS.md", "here");
    expect(seen()).toEqual([["AGENTS.md", "here"]]);
  });

  test("nothing above the repository is read, and nothing above the project without one", () => {
    put("../AGENTS.md", "no repository");
    expect(seen()).toEqual([]);
    repository();
    rmSync(join(root, "../AGENTS.md"));
    put("../../../AGENTS.md", "above");
    expect(seen()).toEqual([]);
  });

  test("a work tree's .git is a file", () => {
    put("../../.git", "gitdir: elsewhere\n");
    put("../../AGENTS.md", "far");
    expect(seen()).toEqual([["../../AGENTS.md", "far"]]);
  });

  test("CLAUDE.md counts where there is no AGENTS.md on the whole way", () => {
    repository();
    put("CLAUDE.md", "claude");
    expect(seen()).toEqual([["CLAUDE.md", "claude"]]);
    put("../../AGENTS.md", "agents");
    expect(seen()).toEqual([["../../AGENTS.md", "agents"]]);
  });

  test("it may be a link to its neighbour, but not out of the repository", () => {
    repository();
    put("CLAUDE.md", "claude");
    symlinkSync("CLAUDE.md", join(root, "AGENTS.md"));
    expect(seen()).toEqual([["AGENTS.md", "claude"]]);
    rmSync(join(root, "AGENTS.md"));
    writeFileSync(join(base, "secret"), "secret");
    symlinkSync(join(base, "secret"), join(root, "AGENTS.md"));
    expect(seen()).toEqual([["AGENTS.md", "it is a link that leaves the project"]]);
  });

  test.runIf(process.getuid?.() === 0)("another user's repository ends the way", () => {
    repository();
    put("../../AGENTS.md", "not mine");
    execFileSync("chown", ["65534", join(base, "repository")]);
    expect(seen()).toEqual([]);
  });
});

describe("nothing stops a run", () => {
  test("a file that is too large is cut, between characters, and says so", () => {
    put("AGENTS.md", `a${"é".repeat(40_000)}`);
    const [part] = readPromptParts(root);
    expect(part?.text).toBe(`a${"é".repeat(32_767)}`);
    expect(part?.note).toBe("only the first 65536 of 80001 bytes are shown");
  });

  test("a file of exactly the cap is whole", () => {
    put(".ai/memory.md", "x".repeat(65_536));
    expect(readPromptParts(root)).toEqual([
      { about: "what is to be remembered", source: ".ai/memory.md", text: "x".repeat(65_536) },
    ]);
  });

  test("folders, pipes, binaries, loops and links in the place of files", () => {
    mkdirSync(join(root, ".ai/identity.md"));
    execFileSync("mkfifo", [join(root, ".ai/memory.md")]);
    put("AGENTS.md", Buffer.from([0xff, 0xfe, 0x00]));
    symlinkSync("loop.md", join(root, ".ai/loop.md"));
    mkdirSync(join(root, ".ai/knowledge"));
    symlinkSync("loop.md", join(root, ".ai/knowledge/loop.md"));
    symlinkSync("skills", join(root, ".ai/skills"));
    expect(seen()).toEqual([
      [".ai/identity.md", "it is not a file"],
      [".ai/memory.md", "it is not a file"],
      ["AGENTS.md", "it is not UTF-8 text"],
    ]);
    rmSync(join(root, ".ai/identity.md"), { recursive: true });
    symlinkSync("identity.md", join(root, ".ai/identity.md"));
    expect(seen()[0]).toEqual([".ai/identity.md", "it cannot be read (ELOOP)"]);
  });

  test("skills whose metadata does not fit are listed with the reason", () => {
    put(".ai/skills/a/SKILL.md", "no front matter");
    put(".ai/skills/b/SKILL.md", "---\nname: [\n---\n");
    put(".ai/skills/c/SKILL.md", "---\nname: other\ndescription: x\n---\n");
    put(".ai/skills/deep/er/SKILL.md", "---\nname: er\ndescription: |\n  two\n  lines\n---\n");
    put(".ai/skills/e/SKILL.md", "---\nname: e\n");
    put(".ai/skills/not-a-skill.md", "x");
    expect(readPromptParts(root)[0]?.text.split("\n")).toEqual([
      "- a: its front matter has no valid name and description (.ai/skills/a/SKILL.md)",
      "- b: its front matter has no valid name and description (.ai/skills/b/SKILL.md)",
      "- c: it calls itself other, which is not the name of its folder (.ai/skills/c/SKILL.md)",
      "- er: two lines (.ai/skills/deep/er/SKILL.md)",
      "- e: its front matter has no valid name and description (.ai/skills/e/SKILL.md)",
    ]);
  });

  test("a list that is too long says how much is left out", () => {
    for (let at = 0; at < 700; at += 1) put(`.ai/knowledge/${"k".repeat(100)}_${at}.md`, "");
    const [part] = readPromptParts(root);
    expect(Buffer.byteLength(part?.text ?? "")).toBeLessThanOrEqual(65_536);
    expect(part?.note).toMatch(/^\d+ more are not shown$/);
  });
});
