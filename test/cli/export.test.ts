// export: a run in one file, which asks nobody for anything and gives nothing away.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checked, Place, scripted } from "./cli.ts";

const HOSTILE = `</pre><script>alert(1)</script><img src=x onerror=alert(2)>\\u001b[31m\\u202e # heading`;
const KEY = "sk-ant-export-0123456789abcdef0123456789";

let place: Place;
let id: string;
beforeAll(async () => {
  place = new Place({
    ...scripted(
      "hello",
      `- says: "${HOSTILE}"\n  calls: [{ tool: bash, input: { command: "echo '<b>out</b>'; echo $HOME" } }]\n- says: "bye ${KEY}"\n`,
    ),
  });
  await place.ok("trust", "--yes");
  const ended = await place.run(["run", "hello", "--json"], { ANTHROPIC_API_KEY: KEY });
  id = checked(ended).data.thread_id;
});
afterAll(() => place.remove());

const file = (name: string) => readFileSync(join(place.root, name), "utf8");

test("one page without scripts or outside requests, in which planted text stays text", async () => {
  const { data } = await place.json("export", id, "--html");
  expect(data).toMatchObject({ form: "html", threads: 1, path: join(place.root, `${id}.html`) });
  expect(data.masked).toBeGreaterThan(0);
  const page = file(`${id}.html`);
  expect(data.bytes).toBe(Buffer.byteLength(page));
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(page).toContain("&lt;b&gt;out&lt;/b&gt;");
  expect(page).toContain("default-src 'none'");
  const tags = new Set([...page.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag));
  for (const tag of ["script", "img", "link", "iframe", "a", "form", "object"])
    expect(tags).not.toContain(tag);
  expect(page).not.toMatch(/https?:\/\/|url\(|@import/);
  expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(page).not.toContain(KEY);
});

test("Markdown in which no line of a model is a heading", async () => {
  await place.ok("export", id, "--md", "-o", "run.md");
  const headings = file("run.md")
    .split("\n")
    .filter((line) => line.startsWith("#"));
  expect(headings).toEqual([`# \`${id}\``]);
  expect(file("run.md")).toContain("> &lt;/pre>&lt;script>");
});

test("the journal as lines; on stdout the answer comes last", async () => {
  const ended = await place.run(["export", id, "--jsonl", "-o", "-"]);
  const lines = ended.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual(lines.slice(0, -1).map((_, at) => at + 1));
  expect(lines.at(-1)).toMatchObject({ kind: "export.handed", ok: true });
  await place.run(["export", id, "--jsonl", "-o", "run.jsonl"]);
  expect(file("run.jsonl").trimEnd().split("\n")).toHaveLength(lines.length - 1);
});

test("--redact leaves out what tools were given and said", async () => {
  await place.ok("export", id, "--html", "--redact", "-o", "less.html");
  expect(file("less.html")).not.toContain("out&lt;/b&gt;");
  expect(file("less.html")).not.toContain(place.folder);
  expect(file("less.html")).toContain("[left out]");
});

test.each([
  [["--html", "--md"], 2],
  [["--html", "--all"], 2],
  [[], 2],
])("%j is refused", async (args, exit) => {
  expect((await place.json("export", id, ...args)).exit).toBe(exit);
});

test("a file that is there is not written over", async () => {
  await place.ok("export", id, "--md", "-o", "twice.md");
  expect(await place.json("export", id, "--md", "-o", "twice.md")).toMatchObject({
    exit: 6,
    error: { code: "E_EXISTS" },
  });
});
