// The tool zoo: tools that hang, flood, fork, run away, do not listen, or die. Each is an outcome; none is left.
import { describe, expect, test } from "vitest";
import { load, project, settings, until, watchProcesses } from "./project.ts";

interface Animal {
  /** In run() of a module; as a line of shell. */
  readonly module?: string;
  readonly command?: string;
  readonly status: string;
  readonly words: RegExp;
}

const NEVER = "await new Promise(() => setInterval(() => {}, 1000));";
const CHILD = `const { spawn } = await import("node:child_process");`;

const ZOO: Record<string, Animal> = {
  "one that waits for ever": {
    module: NEVER,
    command: "sleep 1000",
    status: "error",
    words: /Timed out after 0.4 s/,
  },
  "one that is busy for ever": {
    module: "while (true);",
    command: "while :; do :; done",
    status: "error",
    words: /Timed out after 0.4 s/,
  },
  "one that does not listen": {
    module: `for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {}); ${NEVER}`,
    command: "trap '' TERM HUP INT; while :; do sleep 1000; done",
    status: "error",
    words: /Timed out/,
  },
  "one that prints 100 MB": {
    module: `for (let n = 0; n < 1600; n += 1) if (!process.stdout.write("x".repeat(65536))) await new Promise((go) => process.stdout.once("drain", go)); return "done";`,
    command: "head -c 100000000 /dev/zero | tr '\\0' x",
    status: "error",
    words: /printed more than 1000000 bytes/,
  },
  "one that returns 100 MB": {
    module: `return "x".repeat(100_000_000);`,
    status: "error",
    words: /has more than 1000000 bytes/,
  },
  "one that forks and ends": {
    module: `${CHILD} spawn("sleep", ["1000"]); spawn("sh", ["-c", "trap '' TERM; sleep 1000 & sleep 1000"], { stdio: "ignore" }); return "ok";`,
    command: "sleep 1000 & (trap '' TERM; sleep 1000 & sleep 1000) >/dev/null 2>&1 & echo ok",
    status: "ok",
    words: /^ok$/,
  },
  "one whose children leave the group": {
    module: `${CHILD} spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref(); return "ok";`,
    command: "setsid sleep 1000 >/dev/null 2>&1 & echo ok",
    status: "ok",
    words: /^ok$/,
  },
  "one that hangs with children outside of the group": {
    module: `${CHILD} spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }); ${NEVER}`,
    command: "setsid sleep 1000 >/dev/null 2>&1 & sleep 1000",
    status: "error",
    words: /Timed out/,
  },
  "one that ends its process": {
    module: `console.error("last words"); process.exit(7);`,
    status: "unknown",
    words: /exit code 7 .*last words\n.*full effect, partial effect or none/s,
  },
  "one that is killed": {
    module: `process.kill(process.pid, "SIGKILL"); ${NEVER}`,
    command: "kill -9 $$",
    status: "unknown",
    words: /SIGKILL/,
  },
  "one that throws beside itself": {
    module: `setTimeout(() => { throw new Error("nobody caught me"); }); ${NEVER}`,
    status: "unknown",
    words: /nobody caught me/,
  },
  "one that gives up": {
    module: `process.abort();`,
    command: "kill -ABRT $$",
    status: "unknown",
    words: /SIGABRT/,
  },
  "one that speaks on our line": {
    module: `(await import("node:fs")).writeSync(4, "nonsense\\n"); ${NEVER}`,
    status: "unknown",
    words: /ended/,
  },
};

/** Short where the end of the time is what is waited for, long where the machine may be slow. */
const patience = ({ words }: Animal) => ({
  graceMs: 300,
  settings: settings({
    timeout_seconds: words.source.startsWith("Timed") ? 0.4 : 30,
    max_output_bytes: 1_000_000,
  }),
});

describe.each(["module", "command"] as const)("%s tools", (kind) => {
  const animals = Object.entries(ZOO).flatMap(([name, animal]) => {
    const body = animal[kind];
    return body === undefined ? [] : [{ name, body, animal }];
  });

  test.each(animals)("$name", async ({ body, animal }) => {
    const processes = watchProcesses();
    const tools = await load(
      project(kind === "module" ? moduleFile(body) : commandFile(body)),
      patience(animal),
    );
    const outcome = await tools.run("t", {});
    const status = kind === "command" && animal.status === "unknown" ? "error" : animal.status;
    expect(outcome).toMatchObject({ status, output: expect.stringMatching(animal.words) });
    expect(outcome.output.length).toBeLessThan(1_001_000);
    if (kind === "module") expect(await tools.run("after", {})).toEqual({ status: "ok", output: "well" });
    await tools.close();
    await until(() => processes().length === 0);
  });
});

test("a crash of a pure tool is an error: it had no effect that could be in doubt", async () => {
  const { run } = await load(project(moduleFile("process.exit(7);", `effect: "pure",`)));
  expect(await run("t", {})).toMatchObject({ status: "error", output: expect.stringMatching(/exit code 7/) });
});

test("an abort ends one that does not listen, and one that waits for a host", async () => {
  const processes = watchProcesses();
  const tools = await load(project(moduleFile("context.progress('up'); while (true);")));
  const controller = new AbortController();
  let up = 0;
  const progress = () => {
    up += 1;
    if (up === 4) controller.abort(); // four hosts are all there are
  };
  const calls = Array.from({ length: 6 }, () => tools.run("t", {}, { signal: controller.signal, progress }));
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(6).fill("stopped"));
  await until(() => processes().length === 0);
});

test("a crash of one call does not touch another", async () => {
  const files = {
    ...moduleFile("await new Promise((go) => setTimeout(go, 300)); return 'fine';"),
    ...moduleFile("process.exit(1);", "", "bad"),
  };
  const { run } = await load(project(files));
  const [fine, bad] = await Promise.all([run("t", {}), run("bad", {})]);
  expect([fine.status, bad.status]).toEqual(["ok", "unknown"]);
});

function moduleFile(body: string, more = "", name = "t"): Record<string, string> {
  const text = (called: string, does: string) => `import { defineTool } from "selvage";
export default defineTool({ name: "${called}", description: "d", input: { type: "object" }, ${more} async run(input: any, context) { ${does} } });\n`;
  return {
    [`.ai/tools/${name}.ts`]: text(name, body),
    ".ai/tools/after.ts": text("after", `return "well";`),
  };
}

function commandFile(command: string): Record<string, string> {
  return { ".ai/tools/t.yaml": `description: d\ncommand: ${JSON.stringify(command)}\n` };
}
