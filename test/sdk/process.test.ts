/** Programs as processes: beside commands of other processes, beside each other, killed and recovered. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../cli/cli.ts";
import { ProgramFolder } from "./programs.ts";

/** Notes every run of its tools in a file that no store can hide. `MODE`: what the model does. */
const PROGRAM = `
import { appendFileSync, existsSync } from "node:fs";
import { defineTool, open, scripted } from "selvage";

const tool = (name, effect, run) => defineTool({
  name, effect, description: name, input: { type: "object" },
  run: async (input, context) => {
    appendFileSync("runs.log", name + " " + context.callKey + "\\n");
    await run(context);
    return name + " done";
  },
});
const gate = tool("gate", "pure", async ({ signal }) => {
  while (!existsSync("open") && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
});
const send = tool("send", "manual", async () => {});
const models = {
  gate: [gate({}), send({}), "Done."],
  asks: [send({}), "Done."],
};
const mode = process.env.MODE ?? "gate";
const say = (what, value = "") => process.stdout.write(what + " " + value + "\\n");
try {
  const rt = await open(process.env.FOLDER ?? ".", {
    tools: [gate, send],
    ...(process.env.TRUST ? { trust: true } : {}),
  });
  say("open");
  if (process.env.YES) rt.onApproval((question) => question.approve());
  const limits = mode === "asks" ? { turns: 1 } : {};
  const thread = process.env.THREAD
    ? await rt.thread(process.env.THREAD)
    : await rt.start({ prompt: "Hi", name: "work", tools: [gate, send], model: scripted(models[mode]), limits });
  say("thread", thread.id);
  if (process.env.HOLD) await new Promise((resolve) => setTimeout(resolve, 60_000));
  let result = await thread.result();
  say("result", JSON.stringify(result));
  if (result.status === "suspended") {
    for await (const event of thread.events()) if (event.type === "thread_resumed") say("resumed");
    result = await thread.result();
    say("result", JSON.stringify(result));
  }
  if (process.env.ALSO) say("also", JSON.stringify(await (await rt.thread(process.env.ALSO)).result()));
  await rt.close();
} catch (error) {
  say("problem", JSON.stringify({ code: error.code, what: error.what, why: error.why, next: error.next }));
  process.exit(1); // whatever is open would keep it
}
`;

function place(): ProgramFolder {
  const made = new ProgramFolder();
  writeFileSync(join(made.home, "program.mjs"), PROGRAM);
  return made;
}

const threadIn = (text: string) => /^thread (\S+)$/m.exec(text)?.[1];
const told = (text: string, what: string) =>
  [...text.matchAll(new RegExp(`^${what} (.*)$`, "gm"))].map(([, value]) => JSON.parse(value ?? ""));

describe("beside commands of other processes", () => {
  test("an answer that is given elsewhere wakes the program", async () => {
    const made = place();
    const program = made.start("program.mjs", { MODE: "asks" });
    await until(() => told(program.heard.stdout, "result").length > 0);
    const { data } = await made.json("approvals");
    const [question] = data.approvals;
    expect((await made.selvage("approve", question.approval_id)).code).toBe(0);
    const ended = await program.ended;
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("resumed");
    expect(told(ended.stdout, "result").at(-1)).toMatchObject({ status: "completed", text: "Done." });
    expect(made.read("runs.log").split("\n").filter(Boolean)).toHaveLength(1);
  });

  test("ps shows it, logs -f follows it, cancel stops it", async () => {
    const made = place();
    const program = made.start("program.mjs");
    const id = await until(() => (made.read("runs.log") !== "" ? threadIn(program.heard.stdout) : undefined));
    const { data } = await made.json("ps");
    expect(data.threads).toMatchObject([{ thread_id: id, view: "running", host: { alive: true } }]);
    const logs = made.startSelvage("logs", "-f", id);
    await until(() => logs.heard.stdout.includes("gate"));
    expect((await made.selvage("cancel", id, "--wait")).code).toBe(0);
    expect(told((await program.ended).stdout, "result")).toMatchObject([{ status: "cancelled" }]);
    expect((await logs.ended).stdout).toContain("cancelled");
  });
});

describe("killed", () => {
  test("its thread is left alone by recover, and comes back with its program", async () => {
    const made = place();
    const program = made.start("program.mjs");
    const id = await until(() => (made.read("runs.log") !== "" ? threadIn(program.heard.stdout) : undefined));
    program.child.kill("SIGKILL");
    await program.ended;
    const shown = await made.selvage("recover", "--all");
    expect(shown.code).toBe(3);
    expect(shown.stdout).toContain(`${id}   not taken up: it needs gate, send, scripted/program-`);
    expect(shown.stdout).toContain("run that program again: it brings the thread back");
    const { data } = await made.json("recover", id);
    expect(data).toMatchObject({ recovered: [], orphans: [], left_to_program: [{ thread_id: id }] });
    expect(data.left_to_program[0].lacks).toEqual(["gate", "send", expect.stringMatching(/^scripted/)]);
    const { data: row } = await made.json("show", id);
    expect(row.now.doing).toContain("nobody runs it but its program");
    made.write({ open: "" });
    const again = await made.run("program.mjs", { ALSO: id });
    expect(told(again.stdout, "result")).toMatchObject([{ status: "completed" }]);
    expect(told(again.stdout, "also")).toMatchObject([{ status: "completed", text: "Done." }]);
    const sent = made
      .read("runs.log")
      .split("\n")
      .filter((line) => line.startsWith("send"));
    expect(new Set(sent).size).toBe(sent.length);
  }, 90_000);

  test("it can be ended without its program", async () => {
    const made = place();
    const program = made.start("program.mjs");
    const id = await until(() => (made.read("runs.log") !== "" ? threadIn(program.heard.stdout) : undefined));
    program.child.kill("SIGKILL");
    await program.ended;
    expect((await made.selvage("recover", id, "--mark-cancelled")).code).toBe(0);
    expect((await made.json("show", id)).data.status).toBe("cancelled");
  });

  test("a manual tool that ran before the kill does not run again", async () => {
    const made = place();
    const program = made.start("program.mjs", { MODE: "asks", HOLD: "1" });
    const id = await until(async () => {
      const found = threadIn(program.heard.stdout);
      if (!found) return undefined;
      const { data } = await made.json("show", found);
      return data.status === "suspended" ? found : undefined;
    });
    program.child.kill("SIGKILL");
    await program.ended;
    const { data } = await made.json("approvals");
    const yes = await made.selvage("approve", data.approvals[0].approval_id);
    expect(yes.stdout + yes.stderr).toContain("its program");
    expect((await made.json("show", id)).data.status).toBe("suspended");
    const again = await made.run("program.mjs", { MODE: "asks", YES: "1", ALSO: id });
    expect(told(again.stdout, "also")).toMatchObject([{ status: "completed", text: "Done." }]);
    const runs = made.read("runs.log").split("\n").filter(Boolean);
    expect(new Set(runs).size).toBe(runs.length);
  }, 90_000);
});

describe("beside another program", () => {
  test("the second is a client: its own tools are refused, and what it waits for is told", async () => {
    const made = place();
    const first = made.start("program.mjs");
    const id = await until(() => (made.read("runs.log") !== "" ? threadIn(first.heard.stdout) : undefined));
    const second = await made.run("program.mjs");
    expect(told(second.stdout, "problem")).toMatchObject([
      {
        code: "E_LOCKED",
        what: expect.stringContaining("another process hosts the project"),
        why: expect.stringContaining(`pid ${first.child.pid}`),
      },
    ]);
    const watching = made.start("program.mjs", { THREAD: id });
    await until(() => threadIn(watching.heard.stdout) !== undefined);
    made.write({ open: "" });
    expect(told((await watching.ended).stdout, "result")).toMatchObject([{ status: "completed" }]);
    expect((await first.ended).code).toBe(0);
  });
});

describe("a project that somebody else wrote", () => {
  const files = { ".ai/tools/x.yaml": "description: x\ncommand: [echo]\ninput: {}\n" };

  test("is not opened before somebody has vouched for it", async () => {
    const made = place();
    made.write(files);
    const refused = await made.run("program.mjs");
    expect(told(refused.stdout, "problem")).toMatchObject([
      {
        code: "E_UNTRUSTED",
        next: [{ cmd: "selvage trust" }, { cmd: "open(folder, { trust: true })" }],
      },
    ]);
    made.write({ open: "" });
    const trusted = await made.run("program.mjs", { TRUST: "1" });
    expect(told(trusted.stdout, "result")).toMatchObject([{ status: "completed" }]);
    expect((await made.run("program.mjs")).code).toBe(0);
  });

  test("is not vouched for by a tool of a thread", async () => {
    const made = place();
    made.write(files);
    const refused = await made.run("program.mjs", { TRUST: "1", SELVAGE_THREAD: "t-1" });
    expect(told(refused.stdout, "problem")).toMatchObject([{ code: "E_AGENT" }]);
  });
});

/** Starts one thing after another, and tells what speaks against each. */
const WRONG = `
import { defineTool, open } from "selvage";
const tool = (name) => defineTool({ name, description: name, input: { type: "object" }, run: () => "" });
const rt = await open(".");
const told = [];
for (const ask of [
  { prompt: "x" },
  { prompt: "x", model: "fast" },
  { prompt: "x", model: "anthropic/claude" },
  { prompt: "x", model: "nobody/x" },
  { directive: "nothing" },
  { prompt: "x", tools: [tool("read")] },
  { prompt: "x", tools: [tool("wait_threads")] },
]) await rt.start(ask).then(() => told.push("started"), ({ code, why }) => told.push([code, why !== undefined]));
await rt.close();
await open(".", { trust: true, tools: [tool("mine")] }).then(() => told.push("opened"), ({ code }) => told.push(code));
console.log(JSON.stringify(told));
process.exit(0);
`;

test("what cannot be started is refused with a reason: no key, no model, no directive, a name that is taken", async () => {
  const made = place();
  writeFileSync(join(made.home, "wrong.mjs"), WRONG);
  expect((await made.selvage("init")).code).toBe(0);
  made.write({ ".ai/tools/mine.yaml": "description: mine\ncommand: [echo]\n" });
  expect((await made.selvage("trust", "--yes")).code).toBe(0);
  const { stdout } = await made.run("wrong.mjs");
  expect(JSON.parse(stdout)).toEqual([
    ["E_AUTH", true],
    ["E_AUTH", true],
    ["E_AUTH", true],
    ["E_MODEL_UNKNOWN", true],
    ["E_DIRECTIVE_NOT_FOUND", true],
    ["E_TOOL_INVALID", true],
    ["E_TOOL_INVALID", true],
    "E_TOOL_INVALID",
  ]);
});
