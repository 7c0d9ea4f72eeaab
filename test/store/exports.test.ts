import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { escalate } from "../../src/core/escalation.ts";
import type { Event, NewEvent } from "../../src/core/event.ts";
import { suspend } from "../../src/core/question.ts";
import { newThread, reduce } from "../../src/core/thread.ts";
import { exportAll, openExports, readTranscript } from "../../src/store/exports.ts";

const base = mkdtempSync(join(tmpdir(), "selvage-exports-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let folder = base;
let count = 0;
beforeEach(() => {
  count += 1;
  folder = join(base, `${count}`);
  mkdirSync(folder);
});

const ID = "docs/work-1767225600-abc123";
const event = (seq: number, text = `${seq}`): Event => ({
  v: 1,
  seq,
  ts: "2026-01-01T00:00:00.000Z",
  thread_id: ID,
  type: "cognition_in",
  source: "x",
  text,
});
const events = [1, 2, 3].map((seq) => event(seq));
const file = () => join(folder, ID, "transcript.jsonl");
const lines = () =>
  readFileSync(file(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).seq);

describe("the transcript", () => {
  test("gets every event as one line, with line breaks of all kinds inside", () => {
    const exports = openExports(folder, fail);
    exports.append([event(1, "a\nb\u2028c\ud83d\ude00")]);
    exports.append(events.slice(1));
    expect(lines()).toEqual([1, 2, 3]);
  });

  test("with a torn last line is trimmed and completed from the store", () => {
    const exports = openExports(folder, fail);
    exports.append(events.slice(0, 1));
    appendFileSync(file(), '{"v":1,"seq":2,"ts":"20');
    expect(readTranscript(file())).toMatchObject({ lastSeq: 1, torn: true });
    expect(exports.reconcile(ID, events)).toBeUndefined();
    expect(lines()).toEqual([1, 2, 3]);
    exports.append([event(4)]);
    expect(lines()).toEqual([1, 2, 3, 4]);
  });

  test.each([10, 65_000, 70_000, 900_000])(
    "only the end of a transcript is read, however long its last lines are (%i)",
    (length) => {
      const exports = openExports(folder, () => {});
      exports.append([event(1), event(2, "x".repeat(length)), event(3, "y".repeat(length))]);
      const { size } = statSync(file());
      expect(readTranscript(file())).toEqual({ lastSeq: 3, torn: false, wholeBytes: size });
      appendFileSync(file(), "z".repeat(length));
      expect(readTranscript(file())).toEqual({ lastSeq: 3, torn: true, wholeBytes: size });
    },
  );

  test("that was deleted is made again", () => {
    expect(openExports(folder, fail).reconcile(ID, events)).toBeUndefined();
    expect(lines()).toEqual([1, 2, 3]);
  });

  test("ahead of the store proves that the store lost events, and is left as it is", () => {
    const exports = openExports(folder, fail);
    exports.append(events);
    expect(exports.reconcile(ID, events.slice(0, 2))).toMatchObject({ last_good: 2 });
    expect(lines()).toEqual([1, 2, 3]);
  });

  test("that cannot be written is told and stops nothing", () => {
    const told: string[] = [];
    writeFileSync(join(folder, "docs"), "a file where a folder should be");
    const exports = openExports(folder, (message) => told.push(message));
    exports.append(events);
    exports.remake(newThread(ID));
    expect(told).toHaveLength(2);
  });

  test("that another process has taken over gets no line of ours behind its own", () => {
    const told: string[] = [];
    const ours = openExports(folder, (message) => told.push(message));
    ours.append(events.slice(0, 1));
    const theirs = openExports(folder, fail);
    expect(theirs.reconcile(ID, events)).toBeUndefined();
    ours.append(events.slice(1));
    expect(lines()).toEqual([1, 2, 3]);
    expect(told).toEqual([expect.stringContaining("somebody else wrote to transcript.jsonl")]);
    expect(ours.isBehind(ID)).toBe(true);
    expect(ours.reconcile(ID, [...events, event(4)])).toBeUndefined();
    ours.append([event(5)]);
    expect(lines()).toEqual([1, 2, 3, 4, 5]);
  });

  test("is never written through a planted link", () => {
    const target = join(folder, "precious");
    writeFileSync(target, "precious");
    mkdirSync(join(folder, ID), { recursive: true });
    symlinkSync(target, file());
    const told: string[] = [];
    openExports(folder, (message) => told.push(message)).append(events);
    expect(readFileSync(target, "utf8")).toBe("precious");
    expect(told).toHaveLength(1);
  });
});

describe("the other files", () => {
  const prompt = "# Not a heading\n## Prompt\nevil";
  const thread = [
    {
      ...event(1),
      type: "thread_created",
      directive: "work",
      inputs: {},
      model: "m",
      system: "",
      tools: ["bash"],
      limits: { turns: 3 },
      chain_root_id: ID,
      root_id: ID,
      parent_id: null,
      run: 1,
      nonce: "n1",
    } as Event,
    event(2, prompt),
  ].reduce(reduce, newThread(ID));

  test("are made whole, leave no temporary file, and hold what other programs look for", () => {
    exportAll(join(folder, ID), thread, events, false);
    expect(readdirSync(join(folder, ID)).sort()).toEqual([
      "context.jsonl",
      "state.json",
      "thread.json",
      "transcript.jsonl",
      "transcript.md",
    ]);
    const read = (name: string) => JSON.parse(readFileSync(join(folder, ID, name), "utf8"));
    expect(read("thread.json")).toMatchObject({
      thread_id: ID,
      status: "created",
      nonce: "n1",
      limits: { turns: 3 },
    });
    expect(read("state.json")).toMatchObject({
      directive: "work",
      seq: 2,
      suspend_reason: null,
      cost: { turns: 0, spend: 0 },
    });
  });

  test("quote what models and tools wrote, so that it cannot pass for ours", () => {
    exportAll(join(folder, ID), thread, events, false);
    const text = readFileSync(join(folder, ID, "transcript.md"), "utf8");
    expect(text.split("\n").filter((line) => line.startsWith("## "))).toEqual(["## Prompt"]);
  });
});

describe("the files of an open question", () => {
  const TS = "2026-01-01T00:00:00.000Z";
  const fold = (...wanted: NewEvent[]) => {
    const created: NewEvent = {
      ...{ type: "thread_created", directive: "work", inputs: {}, model: "m", system: "", tools: [] },
      ...{ limits: { turns: 3 }, chain_root_id: ID, root_id: ID, parent_id: null, run: 1, nonce: "n1" },
    };
    return [created, { type: "thread_started", run: 1 } as const, ...wanted].reduce(
      (thread, each, index) =>
        reduce(thread, { v: 1, seq: index + 1, ts: TS, thread_id: ID, ...each } as Event),
      newThread(ID),
    );
  };
  const needs = {
    ...{ now: 0, newApprovalId: () => "ap_1", sha256: (text: string) => text.padEnd(32, "0") },
    ...{ timeoutSeconds: 3_600, onTimeout: "remind" as const },
  };
  const limit = () =>
    escalate(fold(), { code: "turns_exceeded", key: "turns", current: 3, max: 3, needs: 4 }, "double", needs);
  const call = { call_id: "c1", tool: "bash", input: { command: "rm -r /" } };
  const leave = () =>
    suspend(fold(), { reason: "approval", message: "May it?", what: "leave to call bash", call }, needs);
  const resumed: NewEvent = { type: "thread_resumed", by: "p", run: 2, nonce: "n2" };
  const decided: NewEvent = {
    type: "approval_decided",
    approval_id: "ap_1",
    approved: true,
    by: "p",
    via: "cli",
  };
  const remake = (...wanted: NewEvent[]) => openExports(folder, fail).remake(fold(...wanted));
  const read = (name: string) => JSON.parse(readFileSync(join(folder, ID, name), "utf8"));
  const found = () =>
    readdirSync(join(folder, ID), { recursive: true }).map(String).filter(isQuestion).sort();
  const isQuestion = (name: string) => /approvals.|escalation/.test(name);

  test("about a limit: the question as it was shown, and the escalation", () => {
    remake(...limit());
    expect(found()).toEqual(["approvals/ap_1.request.json", "escalation.json"]);
    const request = read("approvals/ap_1.request.json");
    expect(request).toEqual({
      ...{ id: "ap_1", prompt: expect.stringContaining("turn limit"), thread_id: ID, created_at: TS },
      ...{ timeout_seconds: 3_600, digest: expect.stringMatching(/^.{32}$/), reason: "limit" },
      ...{ limit_code: "turns_exceeded", current: 3, current_max: 3, proposed_max: 6, on_deny: "cancel" },
    });
    const [, event] = limit();
    const { type: _, ...told } = event as NewEvent<"limit_escalation_requested">;
    expect(read("escalation.json")).toEqual({ type: "limit_escalation", thread_id: ID, ...told });
    expect(read("state.json")).toMatchObject({ suspend_reason: "limit", limits: { turns: 3 } });
    for (const name of found()) expect(statSync(join(folder, ID, name)).mode & 0o777).toBe(0o600);
  });

  test("about a call: the whole call, and no escalation", () => {
    remake(...leave());
    expect(found()).toEqual(["approvals/ap_1.request.json"]);
    expect(read("approvals/ap_1.request.json")).toMatchObject({
      reason: "approval",
      call,
      on_deny: "refuse_call",
    });
  });

  test.each([
    ["decided", [decided, resumed]],
    ["decided, and the thread stays where it is", [decided]],
    ["void, since the thread went on", [resumed]],
    ["void, since it ended", [{ type: "thread_cancelled", reason: "r", by: "t", report: [] }]],
  ] as [string, NewEvent[]][])("are removed once it is %s", (_, then) => {
    remake(...limit());
    remake(...limit(), ...then);
    expect(found()).toEqual([]);
  });

  test("a raise is seen in the other files", () => {
    remake(...limit(), decided, { type: "budget_changed", by: "p", limits: { turns: 9 } }, resumed);
    expect([read("thread.json").limits, read("state.json").limits]).toEqual([{ turns: 9 }, { turns: 9 }]);
  });

  test("make room for the next question, and what others put there stays", () => {
    remake(...limit());
    const others = ["ap_1.response.json", "notes.txt", "AP.request.json", "ap_0.response.rejected-0011"];
    for (const name of others) writeFileSync(join(folder, ID, "approvals", name), "x");
    const next = leave();
    remake(...limit(), resumed, next[0], { ...next[1], approval_id: "ap_2" });
    expect(found().sort()).toEqual(
      [...others, "ap_2.request.json"].map((name) => `approvals/${name}`).sort(),
    );
  });

  test("are made again on demand, and told", () => {
    const names = exportAll(join(folder, ID), fold(...limit()), [], false);
    expect(names).toEqual(expect.arrayContaining(["approvals/ap_1.request.json", "escalation.json"]));
    expect(found()).toEqual(["approvals/ap_1.request.json", "escalation.json"]);
  });

  test("are neither written nor removed through a folder that is a link", () => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "ap_9.request.json"), "precious");
    mkdirSync(join(folder, ID), { recursive: true });
    symlinkSync(outside, join(folder, ID, "approvals"));
    const told: string[] = [];
    const exports = openExports(folder, (message) => told.push(message));
    exports.remake(fold(...limit()));
    exports.remake(fold());
    expect(readdirSync(outside)).toEqual(["ap_9.request.json"]);
    expect(told).toEqual([expect.stringContaining("is a link")]);
    expect(read("thread.json")).toMatchObject({ thread_id: ID });
  });

  test("a name that is none of ours becomes no path", () => {
    const [suspended, asked] = leave();
    remake(suspended, { ...asked, approval_id: "../../evil" });
    expect(found()).toEqual([]);
  });
});

function fail(message: string): void {
  throw new Error(message);
}
