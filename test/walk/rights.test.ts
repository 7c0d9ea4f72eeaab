import { describe, expect, test } from "vitest";
import { applyRequests } from "../../src/runtime/index.ts";
import { readThread } from "../../src/testing/index.ts";
import { call, ID, stage, types } from "./stage.ts";

const tool = (name: string) => `selvage.execute.tool.${name}`;
const send = { name: "send", effect: "manual" as const };
const note = { name: "note", effect: "pure" as const };

const results = (events: readonly { type: string }[]) =>
  events.flatMap((event) => {
    const { type, tool: name, status, output } = event as unknown as Record<string, string>;
    return type === "tool_call_result" ? [[name, status, output]] : [];
  });

describe("nothing granted is nothing allowed", () => {
  test("a thread is offered only what it may use, and a call beyond that is an error that names the right", async () => {
    const s = stage(
      [{ calls: [call("note"), call("send"), call("nothing")] }, { says: "done" }],
      [send, note],
      {},
      { rights: { permissions: [tool("n*")], delegates: [tool("send")] } },
    );
    await s.play();
    const thread = await s.thread();
    expect(thread).toMatchObject({ status: "completed", tools: ["note"] });
    expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["note"]);
    expect(results(await s.events()).sort()).toEqual([
      ["note", "ok", expect.anything()],
      ["nothing", "error", 'There is no tool "nothing". Tools: note.'],
      [
        "send",
        "error",
        "Not allowed to call send: its directive story does not grant the right execute.tool.send.",
      ],
    ]);
    expect(s.oracle.broken).toEqual([]);
  });

  test("a denied call is not put before hooks, and had no effect", async () => {
    const asked: unknown[] = [];
    const s = stage(
      [{ calls: [call("send")] }, { says: "done" }],
      [send],
      {},
      {
        rights: { permissions: [] },
        hooks: [
          {
            event: "before_tool",
            says: (facts) => {
              asked.push(facts);
              return { action: "suspend" };
            },
          },
        ],
      },
    );
    await s.play();
    expect(asked).toEqual([]);
    expect((await s.events()).find(({ type }) => type === "tool_call_start")).toMatchObject({
      effect: "pure",
    });
    expect((await s.row()).status).toBe("completed");
  });
});

test("the network is there for who has a right to it, until that is taken away", async () => {
  const network = "selvage.execute.process.network";
  const rights = { permissions: [tool("*"), network] };
  const s = stage(
    [{ calls: [call("note")] }, { calls: [call("note", { at: 2 })] }, { says: "done" }],
    [{ ...note, rounds: 50 }],
    {},
    { rights },
  );
  const playing = s.play();
  await s.seen("tool_call_start");
  await s.ask({ kind: "revoke", rights: [network] });
  await playing;
  expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["note", "note"]);
  expect(s.oracle.broken).toEqual([]);
});

describe("a right that must be asked for (L7)", () => {
  const drops = [
    { calls: [call("send", { to: "a" }), call("note"), call("send", { to: "b" })] },
    { says: "done" },
  ];
  const asks = { rights: { permissions: [tool("note")], ask: [tool("send")] } };

  test("what needs no yes runs; then each call is asked about alone, whole, and runs before the next is asked", async () => {
    const s = stage(drops, [send, note], {}, asks);
    await s.play();
    expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["note"]);
    expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "approval" });
    const [first] = await s.world.store.approvals({ states: ["open"] });
    expect(first?.approval).toMatchObject({
      call: { tool: "send", input: { to: "a" } },
      on_deny: "refuse_call",
      prompt: expect.stringContaining('"to": "a"'),
    });
    await s.approve();
    await s.rehost();
    expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["note", "send"]);
    await s.deny("not him");
    await s.rehost();
    expect((await s.row()).status).toBe("completed");
    expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["note", "send"]);
    expect(results(await s.events()).at(-1)).toEqual([
      "send",
      "error",
      "A person refused this call: not him",
    ]);
    expect(s.oracle.broken).toEqual([]);
  });

  test("a person whom a hook has asked about this call is not asked again", async () => {
    const s = stage(
      [{ calls: [call("send")] }, { says: "done" }],
      [send],
      {},
      {
        ...asks,
        hooks: [{ event: "before_tool", says: () => ({ action: "suspend" }) }],
      },
    );
    await s.play();
    await s.approve();
    await s.rehost();
    expect((await s.row()).status).toBe("completed");
    expect(types(await s.events()).filter((type) => type === "approval_requested")).toHaveLength(1);
  });
});

describe("rights that are taken away (K3)", () => {
  test("of a thread at work: no call that comes after it starts, and the model is told by whom", async () => {
    const s = stage(
      [{ calls: [call("note")] }, { calls: [call("send")] }, { says: "done" }],
      [send, { ...note, rounds: 50 }],
    );
    const playing = s.play();
    await s.seen("tool_call_start");
    expect(await s.ask({ kind: "revoke", rights: [tool("send")] })).toMatchObject({ accepted: true });
    await playing;
    expect((await s.row()).status).toBe("completed");
    expect(s.universe.effects.map(({ tool }) => tool)).toEqual(["note"]);
    expect(results(await s.events()).at(-1)).toEqual([
      "send",
      "error",
      "Not allowed to call send: the right execute.tool.send was taken away by me.",
    ]);
  });

  test("of a suspended thread: it stays suspended, and the yes that comes later runs nothing", async () => {
    const s = stage(
      [{ calls: [call("send")] }, { says: "done" }],
      [send],
      {},
      {
        rights: { permissions: [], ask: [tool("send")] },
      },
    );
    await s.play();
    await s.ask({ kind: "revoke", rights: ["selvage.*"] });
    await s.rehost();
    expect((await s.row()).status).toBe("suspended");
    await s.approve();
    await s.rehost();
    expect((await s.row()).status).toBe("completed");
    expect(s.universe.effects).toEqual([]);
  });

  test("of a thread whose owner died at work: at once, after what the dead owe is charged", async () => {
    const s = stage([{ hangs: true }] as never);
    s.play().catch(() => {});
    await s.seen("step_start");
    await s.first.kill();
    const next = s.universe.open();
    const request = { kind: "revoke" as const, request_id: "r1", thread_id: ID, by: "me" };
    await next.world.store.post([{ ...request, rights: [tool("send")] }]);
    expect(await applyRequests(next.world, ID, 1_000)).toBe(true);
    const { events } = await readThread(next.world, ID);
    expect(types(events).at(-1)).toBe("rights_revoked");
    expect(events.filter((event) => "bill" in event)).toHaveLength(1);
  });

  test("a call cut off by a crash is not run again without its right", async () => {
    const s = stage([{ calls: [call("note")] }, { says: "done" }], [{ ...note, rounds: 10_000 }]);
    s.play().catch(() => {});
    await s.seen("tool_call_start");
    await s.ask({ kind: "revoke", rights: [tool("note")] });
    await s.first.kill();
    const next = s.universe.open();
    await s.rehost(next);
    const { thread, events } = await readThread(next.world, ID);
    expect(thread.status).toBe("completed");
    expect(results(events)).toEqual([["note", "error", expect.stringContaining("was taken away")]]);
  });
});
