import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { newThread, reduce } from "../../src/core/thread.ts";
import { exportAll, openExports, readTranscript } from "../../src/store/exports.ts";
import { openInbox } from "../../src/store/inbox.ts";

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
      cost: { turns: 0, spend: null },
    });
  });

  test("quote what models and tools wrote, so that it cannot pass for ours", () => {
    exportAll(join(folder, ID), thread, events, false);
    const text = readFileSync(join(folder, ID, "transcript.md"), "utf8");
    expect(text.split("\n").filter((line) => line.startsWith("## "))).toEqual(["## Prompt"]);
  });
});

describe("the cancel file", () => {
  const ask = (content: string) => {
    mkdirSync(join(folder, ID), { recursive: true });
    writeFileSync(join(folder, ID, "cancel.requested"), content);
  };

  test("is claimed by rename, and removed only when it is done with", () => {
    const inbox = openInbox(folder);
    ask('{"nonce":"n1","reason":"enough"}');
    const [taken] = inbox.take([ID]);
    expect(taken).toMatchObject({ threadId: ID, nonce: "n1", reason: "enough" });
    expect(existsSync(join(folder, ID, "cancel.requested"))).toBe(false);
    // A crash here: the next host takes it again, as the same request.
    expect(inbox.take([ID])[0]?.requestId).toBe(taken?.requestId);
    if (taken) inbox.done(taken, "removed");
    expect(readdirSync(join(folder, ID))).toEqual([]);
    expect(inbox.take([ID])).toEqual([]);
  });

  test("that was not for this run is kept aside", () => {
    const inbox = openInbox(folder);
    ask('{"nonce":"old"}');
    const [taken] = inbox.take([ID]);
    if (taken) inbox.done(taken, "archived");
    expect(readdirSync(join(folder, ID))[0]).toMatch(/^cancel\.archived-/);
    expect(inbox.take([ID])).toEqual([]);
  });

  test.each(["", "not json", "[]", "null", '{"nonce":5}'])(
    "with nonsense (%j) asks with no nonce",
    (content) => {
      ask(content);
      expect(openInbox(folder).take([ID])).toMatchObject([{ nonce: "" }]);
    },
  );

  test("is noticed when it arrives", async () => {
    const inbox = openInbox(folder);
    const arrived = new Promise<void>((resolve) => {
      const stop = inbox.watch(ID, () => {
        stop();
        resolve();
      });
    });
    ask("{}");
    await arrived;
  });
});

function fail(message: string): void {
  throw new Error(message);
}
