/** The hello world of the README, from its own text. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksIn, ProgramFolder } from "./programs.ts";

const [hello = ""] = blocksIn("README.md", "ts");

test("it has at most twenty lines of code", () => {
  const code = hello.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//"));
  expect(code.length).toBeGreaterThan(10);
  expect(code.length).toBeLessThanOrEqual(20);
});

test("it compiles under every strictness, and runs in an empty folder without a key", async () => {
  const place = new ProgramFolder();
  expect(place.compile("hello", hello)).toBe("");
  const ended = await place.run("hello.js");
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(/^A light jacket\.\ncompleted in 2 turns, \$0\.\d+\n$/);
  expect(readdirSync(place.folder)).toEqual([".ai"]);
  expect(place.read(".ai/.gitignore")).toBe("threads/\n");
  const { data } = await place.json("ps", "-a");
  expect(data.threads).toMatchObject([{ directive: "prompt", status: "completed" }]);
});

/** The text, killed before line n: what came before has happened. */
function killedBefore(lines: readonly string[], at: number): string {
  const kill = "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});";
  return [...lines.slice(0, at), kill, ...lines.slice(at)].join("\n");
}

test("killed between any two statements and run again, every thread of it ends", async () => {
  const place = new ProgramFolder();
  expect(place.compile("hello", hello)).toBe("");
  const text = place.read("../hello.js");
  const lines = text.split("\n");
  const breaks = lines.flatMap((line, at) =>
    /^(const rt|const thread|for await|const result|console|await rt)/.test(line) ? [at] : [],
  );
  expect(breaks).toHaveLength(6);
  for (const at of breaks) {
    writeFileSync(join(place.home, "killed.js"), killedBefore(lines, at));
    expect(await place.run("killed.js")).toMatchObject({ signal: "SIGKILL" });
  }
  // Long enough for those that were left to end too.
  writeFileSync(
    join(place.home, "last.js"),
    text.replace(
      "await rt.close();",
      "for (const id of process.argv.slice(2)) await (await rt.thread(id)).result(); await rt.close();",
    ),
  );
  const { data } = await place.json("ps", "-a");
  const ids = data.threads.map(({ thread_id }: { thread_id: string }) => thread_id);
  expect(ids.length).toBeGreaterThanOrEqual(4);
  expect(await place.run("last.js", {}, ids)).toMatchObject({ code: 0 });
  const after = await place.json("ps", "-a");
  const states = after.data.threads.map(({ status }: { status: string }) => status);
  expect(new Set(states)).toEqual(new Set(["completed"]));
  expect(existsSync(join(place.folder, ".ai/threads/registry.db"))).toBe(true);
}, 120_000);
