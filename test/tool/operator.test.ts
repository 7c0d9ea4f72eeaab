// An agent cannot approve itself (L5): its tools see no token, and its processes know that they are inside a thread.
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isOperator, makeOperatorToken, operatorToken } from "../../src/config/operator.ts";
import { stateHome } from "../../src/config/user-folders.ts";
import { load, project } from "./project.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A project that holds the user's state: by its own name, behind a link, or with a home folder for a root. */
const PLACES: Record<string, (root: string) => void> = {
  "XDG_STATE_HOME in the project": (root) => vi.stubEnv("XDG_STATE_HOME", join(root, "state")),
  "XDG_STATE_HOME through a link": (root) => {
    mkdirSync(join(root, "state"));
    symlinkSync("state", join(root, "alias"));
    vi.stubEnv("XDG_STATE_HOME", join(root, "alias"));
  },
  "a home folder as project": (root) => {
    vi.stubEnv("XDG_STATE_HOME", "");
    vi.stubEnv("HOME", root);
  },
  "a home folder as project, with a relative XDG_STATE_HOME": (root) => {
    vi.stubEnv("XDG_STATE_HOME", "state");
    vi.stubEnv("HOME", root);
  },
};

const INPUTS: Record<string, (path: string) => unknown> = {
  read: (path) => ({ path }),
  grep: (path) => ({ path, pattern: "." }),
  find: (path) => ({ path, pattern: "*" }),
  ls: (path) => ({ path }),
  write: (path) => ({ path, content: "0".repeat(64) }),
  edit: (path) => ({ path, old_text: "a", new_text: "b" }),
};

describe.each(Object.keys(PLACES))("%s", (place) => {
  test.each(Object.keys(INPUTS))("%s refuses the operator token, also through links", async (tool) => {
    const root = project();
    PLACES[place]?.(root);
    makeOperatorToken();
    const token = operatorToken();
    symlinkSync(stateHome(), join(root, "folder"));
    symlinkSync(join(stateHome(), "operator"), join(root, "file"));
    const { run } = await load(root);
    const paths = [join(stateHome(), "operator"), stateHome(), "folder/operator", "folder", "file"];
    for (const path of paths) {
      const end = await run(tool, INPUTS[tool]?.(path));
      expect(end).toMatchObject({ status: "error", output: expect.stringMatching(/belongs to Selvage/) });
    }
    expect(isOperator(token)).toBe(true);
    expect(readFileSync(join(stateHome(), "operator"), "utf8")).toBe(`${token}\n`);
  });

  test("what looks around does not come upon it", async () => {
    const root = project({ "a.txt": "word" });
    PLACES[place]?.(root);
    makeOperatorToken();
    const { run } = await load(root);
    expect((await run("grep", { pattern: "^[0-9a-f]{64}$" })).output).not.toContain(operatorToken());
    expect((await run("find", { pattern: "*operator*" })).output).not.toContain("operator");
  });
});

describe("whoever works for a thread is told so", () => {
  const printed = async (files: Record<string, string>, tool: string, input: unknown) => {
    vi.stubEnv("XDG_STATE_HOME", "/nowhere");
    const { run } = await load(project(files));
    return (await run(tool, input, { threadId: "work-1-aaaaaa" })).output;
  };

  test("bash", async () => {
    const output = await printed({}, "bash", { command: "env" });
    expect(output).toMatch(/^SELVAGE_THREAD=work-1-aaaaaa$/m);
    expect(output).not.toContain("XDG_STATE_HOME");
  });

  test("a command tool", async () => {
    const files = { ".ai/tools/t.yaml": "description: d\ncommand: env\n" };
    expect(await printed(files, "t", {})).toMatch(/^SELVAGE_THREAD=work-1-aaaaaa$/m);
  });

  test("a module's tool and what it starts; between calls its host stays marked", async () => {
    const body = `
      import { execSync } from "node:child_process";
      import { defineTool } from "selvage";
      const loading = process.env.SELVAGE_THREAD;
      export default defineTool({ name: "t", description: "d", input: { type: "object" },
        run: () => [loading, process.env.SELVAGE_THREAD, String(execSync("echo $SELVAGE_THREAD")).trim()] });`;
    const { run } = await load(project({ ".ai/tools/t.ts": body }));
    const call = async (threadId: string) => JSON.parse((await run("t", {}, { threadId })).output);
    expect(await call("work-1-aaaaaa")).toEqual(["tool-host", "work-1-aaaaaa", "work-1-aaaaaa"]);
    expect(await call("work-2-bbbbbb")).toEqual(["tool-host", "work-2-bbbbbb", "work-2-bbbbbb"]);
  });
});
