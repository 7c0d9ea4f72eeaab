import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openInbox } from "../../src/store/inbox.ts";

const base = mkdtempSync(join(tmpdir(), "selvage-inbox-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let folder = base;
let count = 0;
beforeEach(() => {
  count += 1;
  folder = join(base, `${count}`);
  mkdirSync(join(folder, ID, "approvals"), { recursive: true });
});

const ID = "docs/work-1767225600-abc123";
const TOKEN = "the-token";
const open = () => openInbox(folder, (token) => token === TOKEN);

describe("the cancel file", () => {
  const ask = (content: string) => {
    writeFileSync(join(folder, ID, "cancel.requested"), content);
  };

  test("is claimed by rename, and removed only when it is done with", () => {
    const inbox = open();
    ask('{"nonce":"n1","reason":"enough"}');
    const [taken] = inbox.take([ID]);
    expect(taken).toMatchObject({ threadId: ID, nonce: "n1", reason: "enough" });
    expect(existsSync(join(folder, ID, "cancel.requested"))).toBe(false);
    // A crash here: the next host takes it again, as the same request.
    expect(inbox.take([ID])[0]?.requestId).toBe(taken?.requestId);
    if (taken) inbox.done(taken, "removed");
    expect(readdirSync(join(folder, ID))).toEqual(["approvals"]);
    expect(inbox.take([ID])).toEqual([]);
  });

  test("that was not for this run is kept aside", () => {
    const inbox = open();
    ask('{"nonce":"old"}');
    const [taken] = inbox.take([ID]);
    if (taken) inbox.done(taken, "archived");
    expect(readdirSync(join(folder, ID))[1]).toMatch(/^cancel\.archived-/);
    expect(inbox.take([ID])).toEqual([]);
  });

  test.each(["", "not json", "[]", "null", '{"nonce":5}'])(
    "with nonsense (%j) asks with no nonce",
    (content) => {
      ask(content);
      utimesSync(join(folder, ID, "cancel.requested"), 1, 1);
      expect(open().take([ID])).toMatchObject([{ nonce: "" }]);
    },
  );

  test("that somebody is still writing is left until it is whole", () => {
    const inbox = open();
    for (const part of ["", '{"non', '{"nonce":"n1"']) {
      ask(part);
      expect(inbox.take([ID])).toEqual([]);
    }
    ask('{"nonce":"n1"}');
    expect(inbox.take([ID])).toMatchObject([{ nonce: "n1" }]);
  });

  test("is noticed when it arrives", async () => {
    const inbox = open();
    const arrived = new Promise<void>((resolve) => {
      const stop = inbox.watch(ID, () => {
        stop();
        resolve();
      });
    });
    ask("{}");
    await arrived;
  });

  test("that is a link is not followed", () => {
    writeFileSync(join(folder, "outside"), '{"nonce":"n1"}');
    symlinkSync(join(folder, "outside"), join(folder, ID, "cancel.requested"));
    expect(open().take([ID])).toMatchObject([{ nonce: "" }]);
  });
});

describe("the answer to a question", () => {
  const approvals = () => join(folder, ID, "approvals");
  const name = "ap_k3v9qa.response.json";
  const path = () => join(approvals(), name);
  const text = (fields: object) => JSON.stringify({ approved: true, operator_token: TOKEN, ...fields });
  const put = (content: string) => {
    writeFileSync(path(), content);
    // Longer ago than anybody takes to write it.
    utimesSync(path(), 1, 1);
  };

  test("is claimed by rename, and removed only when it is done with", () => {
    const inbox = open();
    put(text({ message: "go", new_limits: { turns: 40, spend: 2.5 } }));
    const [taken] = inbox.take([ID]);
    expect(taken).toEqual({
      type: "answer",
      threadId: ID,
      approvalId: "ap_k3v9qa",
      approved: true,
      message: "go",
      limits: { turns: 40, spend: "2.5" },
      path: expect.stringContaining("ap_k3v9qa.response.claimed-"),
      requestId: expect.stringMatching(/^file_[0-9a-f]{16}$/),
    });
    // A crash here: the next host takes it again, as the same request.
    expect(open().take([ID])).toEqual([taken]);
    if (taken) inbox.done(taken, "removed");
    expect(readdirSync(approvals())).toEqual([]);
    expect(inbox.take([ID])).toEqual([]);
  });

  test("is taken by one of two hosts, and who comes too late finds nothing", () => {
    put(text({}));
    const [first] = open().take([ID]);
    const [second] = open().take([ID]);
    expect(second?.requestId).toBe(first?.requestId);
    if (first) open().done(first, "removed");
    if (second) open().done(second, "archived");
    expect(readdirSync(approvals())).toEqual([]);
  });

  test.each([
    [{ approved: false }, { approved: false }],
    [{ message: null, new_limits: null }, { approved: true }],
    [{ message: "  \n" }, { approved: true }],
    [{ new_limits: {} }, { approved: true }],
    [{ something: "else" }, { approved: true }],
  ])("%j is %j", (fields, expected) => {
    put(text(fields));
    const [taken] = open().take([ID]);
    expect(taken).toMatchObject({ message: undefined, limits: undefined, ...expected });
    expect(taken).not.toHaveProperty("problem");
  });

  test.each([
    ["", /not a JSON object/],
    ["yes", /not a JSON object/],
    ["[true]", /not a JSON object/],
    ["null", /not a JSON object/],
    ['{"approved":true}', /no operator_token/],
    ['{"approved":true,"operator_token":null}', /no operator_token/],
    [text({ operator_token: "the-tokem" }), /not the one of this user/],
    [text({ operator_token: "" }), /not the one of this user/],
    [text({ approved: "true" }), /approved must be/],
    [text({ approved: undefined }), /approved must be/],
    [text({ message: 5 }), /message must be/],
    [text({ new_limits: [40] }), /new_limits must be/],
    [text({ new_limits: 40 }), /new_limits must be/],
    [text({ new_limit: { turns: 40 } }), /did you mean new_limits/],
    [text({ new_limits: { turn: 40 } }), /did you mean turns/],
    [text({ new_limits: { turns: -1 } }), /turns needs/],
    ['{"approved":true,"operator_token":"the-token","new_limits":{"__proto__":5}}', /no limit "__proto__"/],
    [text({ message: "x".repeat(70_000) }), /larger than 65536/],
  ])("%j counts for nothing", (content, problem) => {
    put(content);
    const [taken] = open().take([ID]);
    expect(taken).toMatchObject({ approved: false, problem: expect.stringMatching(problem) });
    expect(taken).not.toHaveProperty("limits");
  });

  test.each([
    [text({ approved: "maybe", message: "go" }), '"maybe"'],
    ['{"approved": true, "operator_token" : "the-token", "message', '"(removed)"'],
    ['{"approved": true, "operator_token": "the-tok', '"(removed)"'],
    [`{"operator_token": "the-token", "message": "${"x".repeat(70_000)}"}`, '"(removed)"'],
  ])("that is refused stays to be seen, without its token", (content, kept) => {
    put(content);
    const inbox = open();
    const [taken] = inbox.take([ID]);
    if (taken) inbox.done(taken, "archived");
    const [aside = "", ...others] = readdirSync(approvals());
    expect([aside, others]).toEqual([
      expect.stringMatching(/^ap_k3v9qa\.response\.rejected-[0-9a-f]{16}$/),
      [],
    ]);
    const found = readFileSync(join(approvals(), aside), "utf8");
    expect(found).toContain(kept);
    expect(found).not.toContain("the-tok");
    expect(statSync(join(approvals(), aside)).mode & 0o777).toBe(0o600);
    expect(inbox.take([ID])).toEqual([]);
  });

  test("that is being written is left until it is whole", () => {
    writeFileSync(path(), text({}).slice(0, 10));
    const inbox = open();
    expect(inbox.take([ID])).toEqual([]);
    expect(readdirSync(approvals())).toEqual([name]);
    appendFileSync(path(), text({}).slice(10));
    expect(inbox.take([ID])).toMatchObject([{ approved: true }]);
  });

  test.each(["x.json", "AP_1.response.json", "a.b.response.json", ".response.json", "ap_1.request.json"])(
    "%s is none",
    (other) => {
      writeFileSync(join(approvals(), other), text({}));
      expect(open().take([ID])).toEqual([]);
      expect(readdirSync(approvals())).toEqual([other]);
    },
  );

  test("that is a link, a folder or a pipe is refused and not followed", () => {
    writeFileSync(join(folder, "outside"), text({}));
    symlinkSync(join(folder, "outside"), path());
    mkdirSync(join(approvals(), "ap_2.response.json"));
    execFileSync("mkfifo", [join(approvals(), "ap_3.response.json")]);
    const inbox = open();
    const taken = inbox.take([ID]);
    expect(taken.map((file) => file.type === "answer" && file.problem).sort()).toEqual([
      "it is a link",
      "it is not a file",
      "it is not a file",
    ]);
    for (const file of taken) inbox.done(file, "archived");
    expect(readFileSync(join(folder, "outside"), "utf8")).toBe(text({}));
    expect(readdirSync(approvals()).every((each) => each.includes(".rejected-"))).toBe(true);
  });

  test("in a folder that is a link is not looked at", () => {
    renameSync(approvals(), join(folder, "elsewhere"));
    writeFileSync(join(folder, "elsewhere", name), text({}));
    symlinkSync(join(folder, "elsewhere"), approvals());
    expect(open().take([ID])).toEqual([]);
    expect(readdirSync(join(folder, "elsewhere"))).toEqual([name]);
  });

  test.each(["there already", "made later", "made anew"])(
    "is noticed when it arrives in a folder that is %s",
    async (how) => {
      if (how === "made later") rmSync(approvals(), { recursive: true });
      const inbox = open();
      let arrived = () => {};
      const stop = inbox.watch(ID, () => arrived());
      const next = () =>
        new Promise<void>((resolve) => {
          arrived = resolve;
        });
      if (how === "made anew") rmSync(approvals(), { recursive: true });
      if (how !== "there already") {
        const made = next();
        mkdirSync(approvals());
        await made;
      }
      // Half of it, and then the rest by its real name: only this is an arrival.
      writeFileSync(join(approvals(), ".draft"), text({}));
      const seen = next();
      renameSync(join(approvals(), ".draft"), path());
      await seen;
      stop();
      expect(existsSync(path())).toBe(true);
    },
  );
});
