// Tools of a project, through the built command line.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { directive, Place, scripted, until } from "../cli/cli.ts";

function place(files: Record<string, string>): Place {
  const made = new Place(files);
  onTestFinished(() => made.remove());
  return made;
}

async function trusted(files: Record<string, string>): Promise<Place> {
  const made = place(files);
  await made.ok("init");
  await made.ok("trust", "--yes");
  return made;
}

const PAINT = `import { defineTool } from "selvage";
enum Color { Red = "red" }
export default defineTool({ name: "paint", description: "Paints.", input: { type: "object" }, run: () => Color.Red });\n`;

const calls = (...lines: string[]) =>
  `- says: go\n  calls:\n${lines.map((line) => `    - ${line}\n`).join("")}- says: done\n`;

test("a TypeScript tool with an enum runs in a project without packages, beside a command tool", async () => {
  const at = await trusted({
    ...scripted("art", calls("{ tool: paint, input: {} }", "{ tool: count, input: { text: hello } }")),
    ".ai/tools/paint.ts": PAINT,
    ".ai/tools/count.yaml":
      "description: Counts.\ncommand: wc -c\ninput: { type: object, properties: { text: { type: string } } }\n",
  });
  const { data } = await at.json("run", "art");
  expect(data.status).toBe("completed");
  const results = events(at).filter(({ type }) => type === "tool_call_result");
  // They run beside each other: which of them ends first is nobody's promise.
  const told = results.map(({ status, output }) => `${status} ${output}`);
  expect(told.sort()).toEqual(["ok 17", "ok red"]);
  expect(hosts(at)).toEqual([]);
});

test("a broken tool that the directive names stops it with file and line; another is a warning", async () => {
  const at = await trusted({
    ...scripted("art", calls("{ tool: ls, input: {} }")),
    ...scripted("wrong", "- says: x\n"),
    ...directive("wrong", "permissions: [execute.tool.paint]\n"),
    ".ai/tools/paint.ts": "export default defineTool({\n",
  });
  const wrong = await at.json("run", "wrong");
  expect(wrong).toMatchObject({ exit: 7, error: { code: "E_TOOL_INVALID" } });
  expect(wrong.error?.why).toMatch(/^\.ai\/tools\/paint\.ts:2:1: /);
  const fine = await at.json("run", "art");
  expect(fine.data.status).toBe("completed");
  expect(fine.warnings.join()).toMatch(/A tool is left out\. \.ai\/tools\/paint\.ts:2:1: /);
});

test("in a project that is not trusted nothing is loaded, whatever is asked of it", async () => {
  const at = place({
    ...scripted("art", calls("{ tool: paint, input: {} }")),
    ".ai/tools/paint.ts": `require("node:fs").writeFileSync(process.env.HOME + "/ran", "");\n${PAINT}`,
  });
  expect((await at.json("run", "art")).exit).toBe(9);
  for (const args of [["ps"], ["status"], ["directive", "lint"], ["trust", "--show"]]) await at.run(args);
  expect(readdirSync(at.folder)).not.toContain("ran");
});

test("killed with a tool in flight, the command line leaves no tool host, and recovery does not guess", async () => {
  const hang = PAINT.replace(
    "run: () => Color.Red",
    `run: async () => { require("node:fs").writeFileSync("up", String(process.pid)); await new Promise(() => setInterval(() => {}, 1000)); }`,
  );
  const at = await trusted({
    ...scripted("art", calls("{ tool: paint, input: {} }")),
    ".ai/tools/paint.ts": hang,
  });
  const { child, ended } = at.start(["run", "art"]);
  await until(() => readdirSync(at.root).includes("up"));
  expect(hosts(at)).not.toEqual([]);
  child.kill("SIGKILL");
  await ended;
  await until(() => hosts(at).length === 0);
  const recovered = await at.json("recover", "--all");
  expect(recovered.data.threads[0].status).toBe("completed");
  const result = events(at).find(({ type }) => type === "tool_call_result");
  expect(result).toMatchObject({ status: "unknown", source: "repair" });
});

test("an edit that was cut off is looked up in the file: made once, whenever the kill came", async () => {
  const at = await trusted({
    ...scripted(
      "art",
      calls(
        "{ tool: edit, input: { path: a.txt, old_text: one, new_text: two } }",
        "{ tool: bash, input: { command: touch up; sleep 1000 } }",
      ),
    ),
  });
  writeFileSync(join(at.root, "a.txt"), "one\n");
  const { child, ended } = at.start(["run", "art"]);
  await until(() => readdirSync(at.root).includes("up"));
  child.kill("SIGKILL");
  await ended;
  const recovered = await at.json("recover", "--all");
  expect(recovered.data.threads[0].status).toBe("completed");
  expect(readFileSync(join(at.root, "a.txt"), "utf8")).toBe("two\n");
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the journal holds
function events(at: Place): any[] {
  const threads = join(at.root, ".ai/threads");
  const folder = readdirSync(threads).find((name) => name.startsWith("art-")) ?? "";
  const lines = readFileSync(join(threads, folder, "transcript.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Tool hosts of this project: it is among their arguments. */
function hosts(at: Place): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return command.includes("tool-host") && command.includes(at.root);
    } catch {
      return false; // it ended, or is no process
    }
  });
}
