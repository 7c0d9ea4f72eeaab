// Letting a thread go on, now or later, and stepping into its retries.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place, QUICK_RETRIES, scripted, until } from "./cli.ts";
import { TestTerminal } from "./terminal.ts";

const AWAY =
  "- fails: { status: 503, message: overloaded }\n- fails: { status: 503, message: overloaded }\n- says: back\n";
const LIMITED = "- fails: { status: 429, message: slow down, retry_after_ms: 7200000 }\n- says: fine\n";

let place: Place;
beforeEach(async () => {
  place = new Place({ ...scripted("away", AWAY), ...scripted("limited", LIMITED) });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const view = async (name: string) =>
  (await place.json("ps")).data.threads.find(({ directive }: { directive: string }) => directive === name);
const retrying = (name: string, attempt: number) =>
  until(async () => {
    const thread = await view(name);
    return thread?.now.retry?.attempt === attempt && thread;
  });

describe("a wait that the provider asks for", () => {
  test("ends the command with 8, the time, and what wakes the thread", async () => {
    const { code, stderr } = await place.run(["run", "limited"]);
    expect(code).toBe(8);
    expect(stderr).toMatch(/waits until \d\d:\d\d \(quota\)/);
    expect(stderr).toMatch(/selvage recover limited-\S+ +from \d\d:\d\d on/);
    expect(stderr).toContain("E_QUOTA");
    const { data } = await place.json("ps");
    expect(data.threads).toMatchObject([{ view: "suspended", suspend_reason: "quota" }]);
    expect((await place.run(["ps"])).stdout).toMatch(/resumes \d\d:\d\d · quota/);
    const [question] = (await place.json("approvals")).data.approvals;
    expect(question).toMatchObject({ reason: "quota", resumes_at: data.threads[0].resumes_at });
    // Until then it is in nobody's way, and a yes asks at once.
    expect((await place.json("recover", "--all")).data.orphans).toEqual([]);
    place.write({ ".ai/scripts/limited.yaml": "- says: fine\n" });
    expect(await place.json("approve", question.approval_id)).toMatchObject({
      exit: 0,
      data: { threads: [{ status: "completed", result: { text: "fine" } }] },
    });
  });

  test("resume --at: a time, the reset, and what is no time", async () => {
    await place.run(["run", "limited"]);
    const reset = (await view("limited")).resumes_at;
    const later = await place.json("resume", "limited", "--at", "+5h", "-m", "go easy");
    expect(later).toMatchObject({ exit: 0, data: { status: "suspended" } });
    expect((await view("limited")).resumes_at).toBe(later.data.resumes_at);
    expect(later.data.resumes_at).not.toBe(reset);
    const back = await place.run(["resume", "limited", "--at", "reset"]);
    expect(back.code).toBe(0);
    expect(back.stdout).toMatch(/goes on at \d\d:\d\d/);
    expect(back.stderr).toContain("selvage recover limited-");
    expect(Math.abs(Date.parse((await view("limited")).resumes_at) - Date.parse(reset))).toBeLessThan(1_000);
    for (const at of ["2020-01-01T00:00:00Z", "tomorrow"]) {
      expect(await place.json("resume", "limited", "--at", at)).toMatchObject({
        exit: 2,
        error: { code: "E_USAGE" },
      });
    }
    // Its time comes, nobody hosts it, and whoever looks next can take it up.
    await place.json("resume", "limited", "--at", "+1s");
    await until(async () => (await view("limited")).view === "orphaned");
    expect(await place.json("recover", "--all")).toMatchObject({
      exit: 0,
      data: { threads: [{ status: "completed" }] },
    });
  });
});

describe("resume", () => {
  test("retries used up: it asks again where it stopped", async () => {
    place.write({ ...QUICK_RETRIES, ...scripted("down", "- fails: { status: 503, message: overloaded }\n") });
    const run = await place.run(["run", "down"]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("E_RETRIES_USED · selvage explain E_RETRIES_USED");
    expect(await place.json("resume", "down", "--at", "reset")).toMatchObject({
      exit: 6,
      error: { what: expect.stringContaining("the provider did not say") },
    });
    place.write({ ".ai/scripts/down.yaml": "- says: back\n" });
    const ended = await place.run(["resume", "down", "-m", "try again"]);
    expect(ended).toMatchObject({ code: 0, stdout: "back\n" });
    const [question] = (await place.json("approvals", "-a")).data.approvals;
    expect(question).toMatchObject({ reason: "error", state: "void" });
    const again = await place.json("resume", "down");
    expect(again).toMatchObject({ exit: 2, error: { code: "E_USAGE" } });
    expect(again.error?.next[0]?.cmd).toMatch(/^selvage resume down-\S+ -m/);
  });

  test("a conversation that is too long says so by its code", async () => {
    place.write(scripted("long", "- fails: { status: 413, message: too much }\n"));
    const { code, stderr } = await place.run(["run", "long"]);
    expect(code).toBe(3);
    expect(stderr).toContain("E_CONTEXT_OVERFLOW · selvage explain E_CONTEXT_OVERFLOW");
    expect((await view("long")).error).toMatchObject({ code: "E_CONTEXT_OVERFLOW" });
    expect(await place.ok("explain", "E_CONTEXT_OVERFLOW")).toContain("window");
  });

  test("a limit needs a raise, and says which commands give one", async () => {
    place.write(scripted("steps", `- says: one\n  calls: [{ tool: ls, input: {} }]\n- says: done\n`));
    const { data } = await place.json("run", "steps", "--set", "turns=1");
    const refused = await place.json("resume", "steps");
    expect(refused).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
    expect(refused.error?.next.map(({ cmd }) => cmd)).toContain(`selvage approve ${data.approval}`);
    expect((await place.json("resume", "steps", "--set", "turns=1")).exit).toBe(6);
    expect((await place.json("recover", "steps")).error?.next.map(({ cmd }) => cmd)).toContain(
      `selvage approve ${data.approval}`,
    );
    expect(await place.json("resume", "steps", "--set", "turns=3")).toMatchObject({
      exit: 0,
      data: { status: "completed", limits: { turns: 3 } },
    });
    expect((await place.json("approvals", "-a")).data.approvals).toMatchObject([{ state: "void" }]);
  });

  test("a thread that runs is refused, with the commands that fit", async () => {
    const run = place.start(["run", "away"]);
    await retrying("away", 1);
    const refused = await place.json("resume", "away");
    expect(refused).toMatchObject({ exit: 6, error: { code: "E_NOT_SUSPENDED" } });
    expect(refused.error?.next.map(({ cmd }) => cmd.split(" ").slice(0, 2).join(" "))).toEqual([
      "selvage retry",
      "selvage logs",
      "selvage cancel",
    ]);
    await place.ok("cancel", "away");
    expect((await run.ended).code).toBe(4);
  });
});

describe("retry", () => {
  test("--now and --stop reach the process that waits", async () => {
    // Longer than a command needs to start on a machine that has other things to do.
    place.write({ ".ai/config/resilience.yaml": "retry: { base_delay_ms: 30000 }\n" });
    await place.ok("trust", "--yes");
    const run = place.start(["run", "away"]);
    const { thread_id: id, host } = await retrying("away", 1);
    // Nobody owns a thread that is parked; who waits for it is alive all the same.
    expect(host).toMatchObject({ pid: run.child.pid, alive: true });
    const now = await place.run(["retry", "away", "--now"]);
    expect(now.stdout).toBe(`↻ ${id}: waiting cut short, attempt 1 of 3 starts now.\n`);
    await retrying("away", 2);
    expect(await place.json("retry", "away", "--stop")).toMatchObject({
      exit: 0,
      kind: "retry",
      data: { thread_id: id, attempt: 2, max: 3, action: "stop" },
    });
    const ended = await run.ended;
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/needs you \(error\): Retry cancelled by/);
    expect(ended.stderr).toContain("Retrying (2/3) in 60s…\n");
    expect(await place.json("retry", "away", "--now")).toMatchObject({
      exit: 6,
      error: { code: "E_WRONG_STATE", what: expect.stringContaining("it is suspended") },
    });
  });

  test("without a host, --stop is applied here and --now hosts it here", async () => {
    await place.run(["run", "away", "--timeout", "0.5"]);
    const { thread_id: id } = await retrying("away", 1);
    const stop = await place.run(["retry", id, "--stop"]);
    expect(stop).toMatchObject({ code: 0 });
    expect(stop.stdout).toContain("Retry cancelled. It is suspended (error)");
    await place.run(["resume", id, "--timeout", "0.5"]);
    await retrying("away", 1);
    const now = place.start(["retry", id, "--now"]);
    await retrying("away", 2);
    await place.ok("retry", id, "--now");
    expect(await now.ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/starts now\.\nback\n$/),
    });
  });

  test("a thread that reached a limit does not wait for another try: its question is answered", async () => {
    place.write(scripted("long", "- says: x\n  calls: [{ tool: ls, input: {} }]\n- says: y\n"));
    const { data } = await place.json("run", "long", "--set", "turns=1");
    const { error } = await place.json("retry", data.thread_id, "--now");
    expect(error?.next.map(({ cmd }) => cmd)).toEqual([
      `selvage approvals ${data.approval}`,
      `selvage approve ${data.approval}`,
      `selvage deny ${data.approval}`,
    ]);
  });

  test.each([[[]], [["--now", "--stop"]]])("%j is a usage error", async (flags) => {
    expect(await place.json("retry", "away", ...flags)).toMatchObject({
      exit: 2,
      error: { code: "E_USAGE" },
    });
  });
});

describe("on a terminal", () => {
  const watched =
    "stty -a > before; selvage run away; echo exit $? > code; stty -a > after; cmp before after; echo same $? > same";

  test("Esc ends a retry at once, and the terminal is left as it was", async () => {
    const terminal = new TestTerminal(place, watched);
    await terminal.shows("Retrying (2/3) in 4s… (esc to cancel)");
    // An arrow begins with the same byte, and is another key.
    terminal.press("\u001b[A");
    await terminal.shows("Retrying (2/3) in 3s… (esc to cancel)");
    const pressed = Date.now();
    terminal.press("\u001b");
    await terminal.ended;
    expect([terminal.file("code"), terminal.file("same")]).toEqual(["exit 3\n", "same 0\n"]);
    const { events } = (await place.json("logs", "@last")).data;
    const at = (type: string) =>
      Date.parse(events.findLast((event: { type: string }) => event.type === type).ts);
    // 100 ms on a machine that does nothing else.
    expect(at("auto_retry_end") - pressed).toBeLessThan(500);
  });

  test("Ctrl-C means what it always means, also while Esc is listened for", async () => {
    const terminal = new TestTerminal(place, watched);
    await terminal.shows("Retrying (1/3) in 2s… (esc to cancel)");
    terminal.press("\u0003");
    await terminal.ended;
    expect([terminal.file("code"), terminal.file("same")]).toEqual(["exit 130\n", "same 0\n"]);
    expect(await view("away")).toMatchObject({ status: "running" });
  });
});
