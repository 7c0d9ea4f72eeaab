import { getEventListeners } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Facts, LocalHook } from "../core/hook.ts";
import { runHookCommand } from "./hook-command.ts";
import { NO_SANDBOX } from "./sandbox.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "selvage-hook-")));
afterAll(() => rmSync(folder, { recursive: true }));

const FACTS: Facts = { turn: 3, cost: { spend: 2.5 }, tool: "bash", input: { command: "ls" } };

const hook = (run: LocalHook["run"], more: Partial<LocalHook> = {}): LocalHook => ({
  ...{ id: "ask", event: "before_tool", layer: "project", where: "hooks.yaml:2", timeoutSeconds: 20 },
  inputs: {},
  run,
  ...more,
});

function run(
  does: string | Extract<LocalHook["run"], { call: unknown }>["call"],
  more: Partial<LocalHook> = {},
  signal = new AbortController().signal,
) {
  const what = typeof does === "string" ? { command: does } : { call: does };
  return runHookCommand(hook(what, more), FACTS, { cwd: folder, sandbox: NO_SANDBOX, signal, graceMs: 100 });
}

const told = (why: string) => ({ problem: `The hook ask (hooks.yaml:2) decided nothing: ${why}.` });

describe("a command", () => {
  test("that says nothing lets things go on", async () => {
    expect(await run("true")).toEqual({ action: "continue" });
    expect(await run("echo; echo noise >&2")).toEqual({ action: "continue" });
  });

  test("answers with JSON", async () => {
    expect(await run(`echo '{"action": "suspend", "message": "look at this"}'`)).toEqual({
      action: "suspend",
      message: "look at this",
    });
  });

  test("finds the facts and its filled inputs on its input, in the project's folder", async () => {
    const inputs = { text: "{tool} for {cost.spend}", count: 2 };
    expect(await run("cat > told.json; pwd > where.txt", { inputs })).toEqual({ action: "continue" });
    expect(JSON.parse(readFileSync(join(folder, "told.json"), "utf8"))).toEqual({
      ...{ hook: "ask", event: "before_tool" },
      ...FACTS,
      inputs: { text: "bash for 2.5", count: 2 },
    });
    expect(readFileSync(join(folder, "where.txt"), "utf8")).toBe(`${folder}\n`);
  });

  test("sees no secret of ours", async () => {
    vi.stubEnv("SECRET_KEY", "hidden");
    await run("env > seen.txt");
    vi.unstubAllEnvs();
    const seen = readFileSync(join(folder, "seen.txt"), "utf8");
    expect(seen).not.toContain("hidden");
    expect(seen).toContain("SELVAGE_CALL_KEY=hook/ask");
  });

  test.each([
    ["exit 3", "exit code 3"],
    ["echo not today >&2; exit 1", "exit code 1: not today"],
    ["echo hello", 'its output is no JSON: "hello"'],
    ["echo '\"retry\"'", "it answered text, not a JSON object"],
    [`echo '{"action": "retyr"}'`, 'it answered an unknown action "retyr"; did it mean "retry"?'],
    [`echo '{"action": "retry"} {}'`, expect.stringContaining("its output is no JSON")],
    ["kill -SEGV $$", "ended by SIGSEGV"],
    ["yes", "more than 65536 bytes of output, stopped"],
    ["head -c 70000 /dev/zero | tr '\\0' x", "more than 65536 bytes of output, stopped"],
    ["nosuchcommand", expect.stringContaining("exit code 127")],
    ["echo \u0000", expect.any(String)],
  ])("%j decides nothing", async (command, why) => {
    const answer = await run(command);
    if (typeof why === "string") expect(answer).toEqual(told(why));
    else expect(answer).toEqual({ problem: why });
  });

  test("that hangs is stopped with all it started, TERM or not", async () => {
    const before = performance.now();
    expect(await run("trap '' TERM; sleep 1000 & sleep 1000", { timeoutSeconds: 0.3 })).toEqual(
      told("no answer within 0.3 s, stopped"),
    );
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test("is stopped when the thread is", async () => {
    const controller = new AbortController();
    const running = run("sleep 1000", {}, controller.signal);
    controller.abort();
    expect(await running).toEqual(told("stopped before it answered"));
  });

  test("where there is no such folder, it is told", async () => {
    const around = { cwd: join(folder, "gone"), sandbox: NO_SANDBOX, signal: new AbortController().signal };
    expect(await runHookCommand(hook({ command: "true" }), FACTS, around)).toEqual({
      problem: expect.stringContaining("there is no folder"),
    });
  });
});

describe("a function", () => {
  test("answers, at once or later, or says nothing", async () => {
    expect(await run(() => ({ action: "retry" }))).toEqual({ action: "retry" });
    expect(await run(async ({ turn }) => ({ action: "fail", message: `turn ${turn}` }))).toEqual({
      action: "fail",
      message: "turn 3",
    });
    expect(await run(() => undefined)).toEqual({ action: "continue" });
  });

  test("cannot change the thread's facts", async () => {
    await run((facts) => {
      (facts["input"] as Record<string, unknown>)["command"] = "rm";
    });
    expect(FACTS["input"]).toEqual({ command: "ls" });
  });

  const spiteful = {
    get action() {
      throw new Error("no");
    },
  };
  const unspeakable = {
    toString() {
      throw new Error("no");
    },
  };
  test.each<[string, () => unknown, unknown]>([
    [
      "throws",
      () => {
        throw new Error("out of luck");
      },
      told("out of luck"),
    ],
    ["rejects", () => Promise.reject(new Error("out of luck.")), told("out of luck")],
    [
      "throws what has no words",
      () => {
        throw unspeakable;
      },
      told("it threw something that has no words"),
    ],
    ["answers nonsense", () => 42, told("it answered a number, not a JSON object")],
    ["answers what throws when it is read", () => spiteful, told("no")],
  ])("that %s decides nothing", async (_, call, answer) => {
    expect(await run(call)).toEqual(answer);
  });

  test("that hangs is left behind, its signal aborted", async () => {
    const { signal } = new AbortController();
    let heard: AbortSignal | undefined;
    const hangs = (_: Facts, own: AbortSignal) => {
      heard = own;
      return new Promise(() => {});
    };
    expect(await run(hangs, { timeoutSeconds: 0.05 }, signal)).toEqual(
      told("no answer within 0.05 s; what it still does is lost"),
    );
    expect(heard?.aborted).toBe(true);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("is not waited for when the thread stops, nor begun after", async () => {
    const controller = new AbortController();
    const running = run(() => new Promise(() => {}), {}, controller.signal);
    controller.abort();
    expect(await running).toEqual(told("stopped before it answered"));
    const begun = vi.fn();
    expect(await run(begun, {}, controller.signal)).toEqual(told("stopped before it answered"));
    expect(begun).not.toHaveBeenCalled();
  });

  test("that fails after we left it disturbs nobody", async () => {
    let fail = (_: Error) => {};
    const late = () =>
      new Promise((_, reject) => {
        fail = reject;
      });
    await run(late, { timeoutSeconds: 0.02 });
    fail(new Error("too late"));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
