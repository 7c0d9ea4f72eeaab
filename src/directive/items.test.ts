import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Items } from "../core/items.ts";
import { itemsOf } from "./items.ts";

let root: string;
let outside: string;
let items: Items;
const put = (path: string, text: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "items-"));
  outside = mkdtempSync(join(tmpdir(), "outside-"));
  writeFileSync(join(outside, "secret.md"), "outside");
  items = itemsOf(root, () => ["bash"]);
});
afterEach(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true, force: true });
});

test("names are paths under their folder; a skill is the folder of its SKILL.md", async () => {
  put(".ai/knowledge/api.md", "x");
  put(".ai/knowledge/team/README.md", "x");
  put(".ai/knowledge/team/notes.txt", "x");
  put(".ai/knowledge/with space.md", "x");
  put(".ai/knowledge/.hidden/x.md", "x");
  put(".ai/directives/plan/db.md", "x");
  put(".ai/skills/web/scrape/SKILL.md", "x");
  put(".ai/skills/web/scrape/more.md", "x");
  put(".ai/skills/SKILL.md", "x");
  expect(await items.list("knowledge")).toEqual({ ids: ["api", "team/README"], isCut: false });
  expect(await items.list("directive")).toEqual({ ids: ["plan/db"], isCut: false });
  expect(await items.list("skill")).toEqual({ ids: ["web/scrape"], isCut: false });
  expect(items.tools()).toEqual(["bash"]);
});

test("without a folder there is nothing", async () => {
  expect(await items.list("skill")).toEqual({ ids: [], isCut: false });
  expect(await items.read("skill", "x", 10)).toEqual({ missing: true });
});

describe("links are not followed", () => {
  test.each<[string, () => void]>([
    [
      "a file that leads out of the project",
      () => symlinkSync(join(outside, "secret.md"), join(root, ".ai/knowledge/x.md")),
    ],
    ["a file that leads elsewhere in it", () => symlinkSync("../../.env", join(root, ".ai/knowledge/x.md"))],
    ["a file that leads to itself", () => symlinkSync("x.md", join(root, ".ai/knowledge/x.md"))],
    [
      "the whole folder",
      () => {
        rmSync(join(root, ".ai/knowledge"), { recursive: true });
        symlinkSync(outside, join(root, ".ai/knowledge"));
        writeFileSync(join(outside, "x.md"), "outside");
      },
    ],
  ])("%s", async (_, plant) => {
    put(".env", "KEY=1");
    mkdirSync(join(root, ".ai/knowledge"), { recursive: true });
    plant();
    expect(await items.read("knowledge", "x", 100)).toEqual({ refused: expect.stringContaining("") });
  });

  test("they are not listed either", async () => {
    put(".ai/knowledge/a.md", "a");
    symlinkSync(join(outside, "secret.md"), join(root, ".ai/knowledge/x.md"));
    symlinkSync(outside, join(root, ".ai/knowledge/folder"));
    expect((await items.list("knowledge")).ids).toEqual(["a"]);
  });
});

describe("files that are not as they should be", () => {
  test("a huge one is read up to the limit, and that is said; a cut goes through no character", async () => {
    put(".ai/knowledge/big.md", "ä".repeat(60));
    truncateSync(join(root, ".ai/knowledge/big.md"), 5_000_000_000);
    expect(await items.read("knowledge", "big", 101)).toMatchObject({
      text: "ä".repeat(50),
      note: "only the first 101 of 5000000000 bytes were read",
    });
  });

  test.each<[string, () => void, string]>([
    ["not text", () => put(".ai/knowledge/x.md", Uint8Array.of(0xff, 0xfe)), "it is not UTF-8 text"],
    ["a folder", () => put(".ai/knowledge/x.md/y", ""), "it is no ordinary file"],
    [
      "a pipe",
      () => {
        put(".ai/knowledge/y", "");
        execFileSync("mkfifo", [join(root, ".ai/knowledge/x.md")]);
      },
      "it is no ordinary file",
    ],
  ])("%s is refused", async (_, plant, refused) => {
    plant();
    expect(await items.read("knowledge", "x", 100)).toEqual({ refused });
  });

  test("folders that go on for ever are not gone through", async () => {
    put(`.ai/knowledge/${"d/".repeat(40)}x.md`, "x");
    put(".ai/knowledge/a.md", "x");
    expect((await items.list("knowledge")).ids).toEqual(["a"]);
  });
});

describe("what a file says of itself", () => {
  test.each<[string, { description: string; body: string; problem?: string }]>([
    ["---\ndescription: About it.\n---\nBody.", { description: "About it.", body: "Body." }],
    ["---\nname: x\n---\n# Title\nBody.", { description: "Title", body: "# Title\nBody." }],
    ["\n\n## Title ##\nMore", { description: "Title ##", body: "\n\n## Title ##\nMore" }],
    ["", { description: "", body: "" }],
    [
      "---\ndescription: [1\n---\nBody.",
      { description: "Body.", body: "Body.", problem: "its front matter does not validate" },
    ],
    [
      "---\ndescription: 1\n---\nBody.",
      { description: "Body.", body: "Body.", problem: "its front matter does not validate" },
    ],
    ["---\nBody.", { description: "---", body: "---\nBody.", problem: "its front matter is not closed" }],
    [
      `---\na: ${"x".repeat(20_000)}\n---\nBody.`,
      { description: "Body.", body: "Body.", problem: "its front matter does not validate" },
    ],
  ])("%#", async (text, head) => {
    put(".ai/knowledge/x.md", text);
    const read = await items.read("knowledge", "x", 100_000);
    expect("about" in read && read.about()).toEqual(head);
  });
});
