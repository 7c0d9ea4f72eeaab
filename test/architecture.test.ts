// Is the picture still true? Doors, purity, sizes and public names, read off the source files.
// Each rule is first shown an example that it must refuse, so that it cannot go blind unnoticed.

import { describe, expect, test } from "vitest";
import { doorComplaints } from "./architecture/doors.ts";
import { purityComplaints } from "./architecture/purity.ts";
import { ENTRIES, sizeComplaints } from "./architecture/size.ts";
import { isTest, parseSource, readSources, type Source } from "./architecture/source.ts";

/** What each public entry exports, values and types alike. A change here is a change for every user. */
const PUBLIC_NAMES: Record<string, readonly string[]> = {
  "src/index.ts": [
    ...[
      "Answerer",
      "CallableTool",
      "Cost",
      "DirectiveStart",
      "Effect",
      "Event",
      "EventsAsk",
      "Lacking",
      "Line",
    ],
    ...[
      "LiveEvent",
      "Notice",
      "OpenOptions",
      "ProbeAnswer",
      "PromptStart",
      "Question",
      "Result",
      "ResultAsk",
    ],
    ...["RuntimeOptions", "Scripted", "Selvage", "SelvageError", "StartOptions", "ThreadHandle", "ThreadRef"],
    ...["Tool", "ToolContext", "ToolDefinition", "WaitAsk", "Waited", "YesOptions"],
    ...["defineTool", "open", "scripted"],
    ...["AgentMessage", "AgentSession", "CompactionAnswer", "PromptOptions", "SessionEvent"],
    ...["SessionListener", "SessionOptions", "SessionStats"],
    ...["DialogRequest", "JournalEvent", "RpcClient", "RpcClientOptions", "RpcError", "RpcEvent"],
    ...["RpcSessionState"],
  ],
  "src/testing.ts": [
    ...[
      "CRASH_POINTS",
      "CrashOptions",
      "CrashPoint",
      "CrashPointName",
      "Crashed",
      "FakeClock",
      "InMemoryOptions",
    ],
    ...["crashAt", "expectLedgerBalanced", "fakeClock", "openInMemory"],
  ],
  "src/testing/index.ts": [
    "DeadWorld",
    "Death",
    "FakeClock",
    "Fate",
    "Fault",
    "KillPoint",
    "Killer",
    "Mortal",
    "Mortality",
    "Story",
    "StoryTool",
    "SweepOptions",
    "SweepReport",
    "Universe",
    "Worker",
    "WorkerEnd",
    "WriteVerb",
    "fakeClock",
    "faultyStore",
    "killPointFrom",
    "lives",
    "mortalWorld",
    "play",
    "readThread",
    "runWorker",
    "scriptedModel",
    "storyUniverse",
    "sweep",
  ],
};

/** Excuses from a size rule: `"src/room/file.ts rule": "the reason"`. An excuse nobody needs is an error. */
const ALLOWED: Record<string, string> = {
  "src/surface/cli/help-pages.ts file": "made by npm run docs from the commands: one line for each flag",
  "src/surface/sdk/index.ts exports": "the one door of its room: what a program's types are made of",
  "src/core/chat-platform.ts exports": "one port and its words: whoever builds a platform reads one file",
  "src/runtime/index.ts exports": "the one door of its room: everything that surfaces may use stands in it",
  "src/core/thread-copy.ts function":
    "one literal with every field of a thread, a line for each: that is its point",
};

const sources = readSources("src", "test");
const production = sources.filter((source) => !isTest(source));

test("the scan sees the sources", () => {
  expect(production).not.toEqual([]);
});

describe("doors", () => {
  test("every room imports only what its doors allow", () => {
    expect(production.flatMap(doorComplaints)).toEqual([]);
  });

  test.each([
    ["core to a room", "src/core/a.ts", `import { x } from "../store/x.ts";`],
    ["core to a built-in", "src/core/a.ts", `import { x } from "node:crypto";`],
    ["core to a library that is not pure", "src/core/a.ts", `import { x } from "yaml";`],
    ["a room to its neighbour", "src/store/a.ts", `import { x } from "../tool/x.ts";`],
    ["a type to a neighbour", "src/store/a.ts", `import type { X } from "../tool/x.ts";`],
    ["an inline type to a neighbour", "src/store/a.ts", `type X = import("../tool/x.ts").X;`],
    ["a lazy import", "src/provider/a.ts", `const x = await import("../config/x.ts");`],
    ["a re-export", "src/directive/a.ts", `export * from "../runtime/index.ts";`],
    ["runtime to a room", "src/runtime/a.ts", `import { x } from "../store/x.ts";`],
    [
      "a surface behind the runtime's door",
      "src/surface/cli/a.ts",
      `import { x } from "../../runtime/x.ts";`,
    ],
    ["testing to the real store", "src/testing/a.ts", `import { x } from "../store/stores/sqlite.ts";`],
    ["a room to a composition root", "src/machine/a.ts", `import { x } from "../main.ts";`],
    ["a room out of src", "src/config/a.ts", `import x from "../../package.json" with { type: "json" };`],
    ["a room nobody declared", "src/extra/a.ts", ""],
    ["a stray file at the top", "src/stray.ts", ""],
  ])("refuse %s", (_, path, text) => {
    expect(doorComplaints(parseSource(path, text))).toHaveLength(1);
  });

  test.each([
    ["src/core/a.ts", `import { z } from "zod"; import * as m from "zod/mini"; import { b } from "./b.ts";`],
    ["src/surface/cli/a.ts", `import { x } from "../../runtime/index.ts"; import { y } from "../shown.ts";`],
    [
      "src/testing/a.ts",
      `import { x } from "../store/stores/memory.ts"; import { y } from "../machine/y.ts";`,
    ],
    ["src/store/stores/a.ts", `import { x } from "@photostructure/sqlite"; import { y } from "../y.ts";`],
    ["src/main.ts", `import { x } from "./store/stores/sqlite.ts"; import { y } from "./tool/y.ts";`],
  ])("let %s through its own", (path, text) => {
    expect(doorComplaints(parseSource(path, text))).toEqual([]);
  });
});

describe("purity", () => {
  test("core and runtime touch no clock, chance or I/O", () => {
    expect(production.flatMap(purityComplaints)).toEqual([]);
  });

  test.each([
    "const now = Date.now();",
    "const now = new Date();",
    "const now = new Date;",
    "const roll = Math.random();",
    "const roll = Math.random;",
    "const tick = performance.now();",
    "const id = crypto.randomUUID();",
    "setTimeout(wake, 1);",
    "const later = setImmediate;",
    "const world = { sleep: setTimeout };",
    "const world = { setInterval };",
    "globalThis.setTimeout(wake, 1);",
    "const home = process.env.HOME;",
    "const { env } = process;",
    "await fetch(url);",
    `import { readFileSync } from "node:fs";`,
    `import { readFile } from "node:fs/promises";`,
    `import { spawn } from "child_process";`,
    `import { setTimeout } from "node:timers/promises";`,
    `const os = await import("node:os");`,
  ])("refuses %s", (text) => {
    expect(purityComplaints(parseSource("src/core/a.ts", text))).toHaveLength(1);
    expect(purityComplaints(parseSource("src/runtime/a.ts", text))).toHaveLength(1);
    expect(purityComplaints(parseSource("src/store/a.ts", text))).toEqual([]);
  });

  test("hashing is a port for core and a library for runtime", () => {
    const text = `import { createHash } from "node:crypto";`;
    expect(purityComplaints(parseSource("src/core/a.ts", text))).toHaveLength(1);
    expect(purityComplaints(parseSource("src/runtime/a.ts", text))).toEqual([]);
  });

  test.each([
    "const then = new Date(ms);",
    "// Date.now() is handed in",
    `const text = "process.env";`,
    "world.clock.setTimeout(1);",
    "const wait = { setTimeout: 3 };",
    "function f(options: { process: string }): void {}",
    "const share = Math.max(1, 2);",
  ])("lets %s pass", (text) => {
    expect(purityComplaints(parseSource("src/core/a.ts", text))).toEqual([]);
  });
});

describe("sizes", () => {
  const complaints = sources.flatMap(sizeComplaints);

  test("no file passes a limit without an excuse", () => {
    const unexcused = complaints.filter(({ path, rule }) => !ALLOWED[`${path} ${rule}`]);
    expect(unexcused.map(({ path, rule, text }) => `${path} ${rule}: ${text}`)).toEqual([]);
  });

  test("every excuse states its reason and is still needed", () => {
    const needed = complaints.map(({ path, rule }) => `${path} ${rule}`);
    const idle = Object.entries(ALLOWED).filter(
      ([key, reason]) => !needed.includes(key) || reason.length < 20,
    );
    expect(idle).toEqual([]);
  });

  const lines = (count: number) => "//\n".repeat(count);
  const each = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join("\n");

  test.each([
    ["file", "src/core/a.ts", lines(401), lines(400)],
    ["testFile", "src/core/a.test.ts", lines(501), lines(500)],
    ["testFile", "test/walks/story.ts", lines(501), lines(500)],
    ["function", "src/core/a.ts", `function f() {\n${lines(59)}}`, `function f() {\n${lines(58)}}`],
    ["function", "src/core/a.ts", `const f = () => {\n${lines(59)}};`, `const f = () => {\n${lines(58)}};`],
    ["exports", "src/core/a.ts", each(11, exportLine), each(10, exportLine)],
    ["exports", "src/core/a.ts", "export const { a, b, c, d, e, f, g, h, i, j, k } = x;", "export { a, b };"],
    ["imports", "src/core/a.ts", each(21, importLine), each(20, importLine)],
    ["name", "src/core/utils.ts", "", undefined],
    ["name", "src/core/helpers/a.ts", "", undefined],
    ["name", "src/core/types.test.ts", "", undefined],
  ])("the %s limit of %s refuses one more, not the last", (rule, path, over, within) => {
    expect(sizeComplaints(parseSource(path, over)).map((complaint) => complaint.rule)).toEqual([rule]);
    if (within !== undefined) expect(sizeComplaints(parseSource(path, within))).toEqual([]);
  });
});

describe("public names", () => {
  test("the pinned entries are the public entries", () => {
    expect(Object.keys(PUBLIC_NAMES)).toEqual(ENTRIES);
  });

  test.each(Object.entries(PUBLIC_NAMES))("%s exports exactly the pinned names", (path, pinned) => {
    expect(publicNames(path, sources)).toEqual([...pinned].sort());
  });

  test("names are found through every form of export", () => {
    const entry = parseSource(
      "src/index.ts",
      `export * from "./core/a.ts"; export { b as c, type D } from "./core/b.ts"; export * as e from "./core/e.ts";
       export function f() {} export type G = 1; export default 1;`,
    );
    const passed = parseSource(
      "src/core/a.ts",
      "export interface A {} export const [h] = x; const hidden = 1;",
    );
    expect(publicNames("src/index.ts", [entry, passed])).toEqual(
      ["A", "D", "G", "c", "default", "e", "f", "h"].sort(),
    );
  });
});

/** An entry that does not exist yet exports nothing. */
function publicNames(path: string, from: readonly Source[]): string[] {
  const source = from.find((candidate) => candidate.path === path);
  if (!source) return [];
  const passedOn = source.passedOn.flatMap((target) =>
    publicNames(target, from).filter((name) => name !== "default"),
  );
  return [...new Set([...source.exports, ...passedOn])].sort();
}

function exportLine(index: number): string {
  return `export const name${index} = ${index};`;
}

function importLine(index: number): string {
  return `import { name${index} } from "./file-${index}.ts";`;
}
