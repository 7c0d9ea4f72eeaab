// A sandbox changes what a command can reach, and nothing else; where there must be one and is none, nothing runs.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { LocalHook } from "../../src/core/hook.ts";
import { runHookCommand } from "../../src/tool/hook-command.ts";
import { openSandbox } from "../../src/tool/sandbox.ts";
import { load, settings, until, watchProcesses } from "./project.ts";
import { folderOutsideTmp, OWN_PROGRAMS, scene } from "./sandbox.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const TOOLS = {
  ".ai/tools/count.yaml": "description: d\ncommand: [wc, -c]\n",
  ".ai/tools/m.ts": `import { defineTool } from "selvage";
    import { writeFileSync } from "node:fs";
    const tool = (name, run) => defineTool({ name, description: "d", input: { type: "object" }, run });
    export const where = tool("where", () => [process.cwd(), process.pid, process.env.SELVAGE_THREAD]);
    export const steps = tool("steps", (_, context) => { context.progress("half way"); return "whole"; });
    export const big = tool("big", () => "x".repeat(3_000_000));
    export const hang = tool("hang", () => { writeFileSync("up", ""); return new Promise(() => setInterval(() => {}, 1000)); });
    export const out = tool("out", () => { try { writeFileSync("../out", ""); } catch (cause) { return cause.code; } });`,
};

describe("in the sandbox", () => {
  test("a command's code, its streams in their order, its folder and its empty input are as ever", async () => {
    const { root, run } = await scene({});
    const lines = "pwd; cat; for i in 1 2 3; do echo $i; echo $i >&2; done; exit 3";
    expect(await run("bash", { command: lines })).toEqual({
      status: "error",
      output: `Exit code 3.\n${root}\n1\n1\n2\n2\n3\n3\n`,
    });
  });

  test("what is said right after the end is still heard", async () => {
    const { bash } = await scene({});
    expect(await bash("exec > >(cat); echo late")).toBe("late\n");
  });

  test("it leads a session of its own, and what it sends to its group reaches only that", async () => {
    const { bash } = await scene({});
    expect(
      await bash("trap '' TERM; kill -TERM 0; kill -KILL 1; cut -d' ' -f5,6 /proc/$$/stat; echo $$"),
    ).toBe("2 2\n2\n");
  });

  test("/tmp can be written to and is empty at each call; TMPDIR does not lead astray", async () => {
    vi.stubEnv("TMPDIR", "/nowhere");
    const { bash } = await scene({});
    expect(await bash('ls -A /tmp; touch "$(mktemp)" && ls /tmp | wc -l')).toBe("1\n");
    expect(await bash("ls -A /tmp")).toBe("(no output)");
  });

  test("the model is told what it cannot do", async () => {
    const { get } = await scene({});
    expect(get("bash")?.description).toMatch(/write in the project and in \/tmp only.*It has no network\.$/);
    expect(get("bash")?.describe?.(true)).not.toContain("network");
  });

  test("only a thread with a right to it has the network of the machine, whatever runs its code", async () => {
    const which = "readlink /proc/self/ns/net";
    const { run } = await scene({
      files: {
        ".ai/tools/where.yaml": `description: Where.\ncommand: ${which}\n`,
        ".ai/tools/module.ts": `import { readlinkSync } from "node:fs";
import { defineTool } from "selvage";
export default defineTool({ name: "module", description: "Where.", input: { type: "object" },
  run: () => readlinkSync("/proc/self/ns/net") + "\\n" });`,
      },
    });
    const ours = await (await scene({ mode: "off" })).bash(which);
    for (const [tool, input] of [
      ["bash", { command: which }],
      ["where", {}],
      ["module", {}],
    ] as const) {
      const place = async (network: boolean) => (await run(tool, input, { network })).output.trim();
      expect(await place(true), tool).toBe(ours.trim());
      expect(await place(false), tool).not.toBe(ours.trim());
      // A host with a network is not handed to who has none, nor the other way round.
      expect(await place(true), tool).toBe(ours.trim());
    }
    expect((await run("bash", { command: "tail -n +3 /proc/net/dev | cut -d: -f1" })).output).toBe(
      "    lo\n",
    );
  });

  test("a stop lets it put things in order, and ends at once when it does", async () => {
    const { run } = await scene({});
    const before = performance.now();
    const command = "trap 'echo tidy; exit' TERM; while :; do sleep 0.01; done";
    expect(await run("bash", { command, timeout: 0.5 })).toMatchObject({
      status: "error",
      output: expect.stringMatching(/^Timed out after 0.5 s and was stopped.\n(Terminated\n)?tidy\n$/),
    });
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  test("one that does not listen, with children everywhere, is killed whole after the grace", async () => {
    const left = watchProcesses();
    const { run } = await scene({});
    const command = "trap '' TERM; setsid sleep 1000 & (env setsid nohup sleep 1000 &); echo up; sleep 1000";
    expect((await run("bash", { command, timeout: 0.5 })).output).toMatch(/^Timed out.*\n(.*\n)*up\n$/);
    await until(() => left().length === 0);
  });

  test("aborts at any moment of its start leave nothing", async () => {
    const left = watchProcesses();
    const { run } = await scene({});
    const runs = Array.from({ length: 20 }, (_, index) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), index * 4);
      return run("bash", { command: "setsid sleep 1000 & sleep 1000" }, { signal: controller.signal });
    });
    for (const end of await Promise.all(runs)) expect(end.status).toBe("stopped");
    await until(() => left().length === 0);
  });

  test("a flood is stopped at the cap", async () => {
    const { sandbox, root } = await scene({});
    const { run } = await load(root, { sandbox, settings: settings({ max_output_bytes: 10_000 }) });
    expect((await run("bash", { command: "yes" })).output).toMatch(
      /^Stopped: it printed more than 10000 bytes/,
    );
  });

  test("a command tool gets its arguments, a hook its facts", async () => {
    const { run, root, sandbox } = await scene({ files: TOOLS });
    expect(await run("count", { text: "hello" })).toEqual({ status: "ok", output: "17" });
    const around = { cwd: root, sandbox, signal: new AbortController().signal };
    const told = hook('cat > facts; touch ../out; echo \'{"action":"continue"}\'');
    expect(await runHookCommand(told, FACTS, around)).toEqual({ action: "continue" });
    expect(JSON.parse(readFileSync(join(root, "facts"), "utf8"))).toMatchObject(FACTS);
    expect(existsSync(join(root, "../out"))).toBe(false);
  });

  test("a module's tools run inside: results large and small, progress, and a stop", async () => {
    const left = watchProcesses();
    const { run, root, close } = await scene({ files: TOOLS, shown: OWN_PROGRAMS });
    expect(JSON.parse((await run("where", {}, { threadId: "t-9" })).output)).toEqual([root, 2, "t-9"]);
    expect(await run("out", {})).toEqual({ status: "ok", output: "EROFS" });
    const progress = vi.fn();
    expect((await run("steps", {}, { progress })).output).toBe("whole");
    expect(progress).toHaveBeenCalledWith("half way");
    expect((await run("big", {})).output).toHaveLength(3_000_000);
    const controller = new AbortController();
    const hanging = run("hang", {}, { signal: controller.signal });
    await until(() => existsSync(join(root, "up")));
    controller.abort();
    expect((await hanging).status).toBe("stopped");
    expect((await run("steps", {})).output).toBe("whole"); // in a new host
    await close();
    await until(() => left().length === 0);
  });
});

describe("required, and bubblewrap is missing", () => {
  const missing = { mode: "required", folders: ["/nowhere"] } as const;

  test("nothing runs, and each says what to install", async () => {
    const { run, root, sandbox, warnings, names } = await scene({ ...missing, files: TOOLS });
    const why =
      "Could not start: no sandbox: bwrap is missing: install bubblewrap (apt-get install bubblewrap; dnf install bubblewrap).";
    expect(await run("bash", { command: "touch ran" })).toEqual({ status: "error", output: why });
    expect(await run("count", {})).toEqual({ status: "error", output: why });
    expect(warnings.join()).toContain("no sandbox: bwrap is missing");
    expect(names()).not.toContain("where");
    const at = { cwd: root, sandbox, signal: new AbortController().signal };
    expect(await runHookCommand(hook("touch ran"), FACTS, at)).toEqual({
      problem: expect.stringContaining("no sandbox: bwrap is missing"),
    });
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test("auto runs without, and knows why", async () => {
    const { bash, sandbox } = await scene({ ...missing, mode: "auto" });
    expect(await bash("echo ran")).toBe("ran\n");
    expect(sandbox.state()).toMatchObject({ type: "none", why: expect.stringContaining("bwrap is missing") });
  });
});

test("a bubblewrap that does not work here is told with its own words, and asked once", async () => {
  const folder = folderOutsideTmp();
  put(
    folder,
    "bwrap",
    `echo asked >> ${folder}/asked; echo 'bwrap: No permissions to create new namespace' >&2; exit 1`,
  );
  put(folder, "setsid", 'exec "$@"');
  const states = [1, 2].map(() =>
    openSandbox({ mode: "auto", projectRoot: folder, hidden: [], folders: [folder] }).state(),
  );
  expect(states[0]).toEqual({
    type: "none",
    why: expect.stringContaining("does not work here (bwrap: No permissions to create new namespace)"),
  });
  expect(states[1]).toEqual(states[0]);
  const ways = process.getuid?.() === 0 ? 2 : 1;
  expect(readFileSync(join(folder, "asked"), "utf8")).toBe("asked\n".repeat(ways));
});

test("a bwrap in a folder of the project is not used, whatever PATH says", async () => {
  const { root, bash, sandbox } = await scene({});
  put(root, "bwrap", `touch ${root}/ran; exit 0`);
  put(root, "sleep", `touch ${root}/ran; exit 0`);
  vi.stubEnv("PATH", `${root}:${process.env["PATH"]}`);
  expect(await bash("echo fine")).toBe("fine\n");
  expect(sandbox.state().type).toBe("bubblewrap");
  expect(existsSync(join(root, "ran"))).toBe(false);
});

const FACTS = { thread_id: "work-1-aaaaaa", turn: 1 };

function hook(command: string): LocalHook {
  const head = { id: "h", event: "before_tool", layer: "project", where: "hooks.yaml:2" } as const;
  return { ...head, timeoutSeconds: 20, inputs: {}, run: { command } };
}

function put(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}
