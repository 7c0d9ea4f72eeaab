/** `execute` opens no way round anything that stands before the tool itself. */
import { describe, expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import type { Story } from "../../src/testing/index.ts";
import { idOf } from "./family.ts";
import { call, ID, stage, types } from "./stage.ts";

const tool = (name: string) => `selvage.execute.tool.${name}`;
const VERB = tool("execute");
const send = { name: "send", effect: "manual" as const };
const note = { name: "note", effect: "pure" as const };
const execute = (item_id: string, parameters: unknown = {}, item_type = "tool") =>
  call("execute", { item_type, item_id, parameters });

const results = (events: readonly { type: string }[]) =>
  events.flatMap((event) => {
    const { type, tool: name, status, output } = event as unknown as Record<string, string>;
    return type === "tool_call_result" ? [[name, status, output]] : [];
  });
const starts = (events: readonly { type: string }[]) =>
  events.filter(({ type }) => type === "tool_call_start") as unknown as Record<string, unknown>[];

const staged = (
  calls: readonly ReturnType<typeof call>[],
  rights: NonNullable<Story["rights"]>,
  more: Partial<Story> = {},
) =>
  stage([{ calls }, { says: "done" }], more.tools ?? [send, note], more.settings ?? {}, { ...more, rights });

describe("a call by execute is the call itself", () => {
  test("it runs, and the journal tells the tool and how it was asked for", async () => {
    const s = staged([execute("send", { to: "maya" })], { permissions: [VERB, tool("send")] });
    await s.play();
    expect(results(await s.events())).toEqual([["send", "ok", 'send did {"to":"maya"}']]);
    expect(starts(await s.events())).toMatchObject([
      { tool: "send", input: { to: "maya" }, effect: "manual", executes: "tool" },
    ]);
    const said = toArray((await s.thread()).messages).flatMap((each) =>
      each.role === "assistant" ? each.blocks : [],
    );
    expect(said[0]).toMatchObject({ tool: "send", input: { to: "maya" }, executes: "tool" });
    expect(s.oracle.broken).toEqual([]);
  });

  test("its key is the key of the same call made directly", async () => {
    const keys = [];
    for (const one of [call("send", { a: 1 }), execute("send", { a: 1 })]) {
      const s = staged([one], { permissions: [VERB, tool("send")] });
      await s.play();
      keys.push(s.universe.effects[0]?.key);
    }
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toBeDefined();
  });

  test("calls of one tool run in order, however they are made; of two tools side by side", async () => {
    const slow = { ...send, rounds: 20 };
    const other = { name: "other", effect: "manual" as const };
    const s = staged(
      [execute("send", { n: 1 }), call("send", { n: 2 }), execute("other")],
      {
        permissions: [VERB, tool("*")],
      },
      { tools: [slow, other] },
    );
    await s.play();
    expect(s.universe.effects.map((effect) => effect.tool)).toEqual(["other", "send", "send"]);
    const ends = results(await s.events()).map(([, , output]) => output);
    expect(ends.indexOf('send did {"n":1}')).toBeLessThan(ends.indexOf('send did {"n":2}'));
  });

  test("going round in circles is noticed whichever way each call is made (D8)", async () => {
    const calls = [call("note"), execute("note"), call("note"), execute("note"), call("note")];
    const steps = calls.map((one) => ({ calls: [one] }));
    const s = stage(
      [...steps, { says: "done" }],
      [note],
      {},
      { rights: { permissions: [VERB, tool("note")] } },
    );
    await s.play();
    expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "approval" });
    expect((await s.thread()).repeat).toMatchObject({ tool: "note", times: 5 });
  });

  test("a directive is started as a child, with the rights that a start needs", async () => {
    const s = stage(
      [{ calls: [execute("child", { name: "x" }, "directive")] }, { says: "done" }],
      [],
      {},
      {
        rights: { permissions: [VERB, tool("thread_tool"), "selvage.execute.directive.child"] },
        children: { child: { steps: [{ says: "hello" }] } },
      },
    );
    await s.play();
    const id = idOf(ID, "child", { inputs: { name: "x" } });
    expect(results(await s.events())[0]).toEqual([
      "thread_tool",
      "ok",
      JSON.stringify({ thread_id: id, status: "running" }),
    ]);
    const [row] = await s.world.store.find({ threadId: id });
    expect(row).toMatchObject({ directive: "child", status: "completed" });
  });

  test("what hands back the outputs still ends the thread, last of all", async () => {
    const calls = [execute("directive_return", { sum: 3 }), execute("note")];
    const parent = [{ calls: [call("thread_tool", { directive: "child", wait: true })] }, { says: "done" }];
    const child = {
      steps: [{ calls }, { says: "never" }],
      outputs: { sum: { type: "number" as const } },
      rights: { permissions: [VERB, tool("note")] },
    };
    const s = stage(parent, [note], {}, { children: { child } });
    await s.play();
    expect(JSON.parse(results(await s.events())[0]?.[2] ?? "")).toMatchObject({ success: true });
    expect(results(await s.events())[0]?.[2]).toContain('"sum":3');
  });
});

describe("nothing is open that is shut for the tool", () => {
  test("the right to the tool is needed", async () => {
    const s = staged([execute("send")], { permissions: [VERB, tool("note")] });
    await s.play();
    expect(s.universe.effects).toEqual([]);
    const why = "Not allowed to call send: its directive story does not grant the right execute.tool.send.";
    expect(results(await s.events())).toEqual([["send", "error", why]]);
  });

  test("the verb is not offered by execute.tool.*, and does nothing then", async () => {
    const s = staged([execute("send")], { permissions: [tool("*")] });
    await s.play();
    expect((await s.thread()).tools).not.toContain("execute");
    expect(s.universe.effects).toEqual([]);
    expect(results(await s.events())[0]).toEqual([
      "execute",
      "error",
      expect.stringContaining('There is no tool "execute".'),
    ]);
  });

  test("a right that was taken away is gone this way too", async () => {
    for (const right of [VERB, tool("send")]) {
      const s = staged([execute("send")], { permissions: [VERB, tool("*")] });
      await s.make();
      await s.ask({ kind: "revoke", rights: [right] } as never);
      await s.rehost();
      expect(s.universe.effects).toEqual([]);
      expect(results(await s.events())[0]?.slice(0, 2)).toEqual(["send", "error"]);
    }
  });

  test.each([
    [[VERB], [tool("send")]],
    [[tool("send")], [VERB]],
  ])(
    "where %j is free and %j is asked about, a person sees the call that it means, and no runs nothing",
    async (permissions, ask) => {
      for (const agrees of [false, true]) {
        const s = staged([execute("send", { to: "all" })], { permissions, ask });
        await s.play();
        const [question] = await s.world.store.approvals({ states: ["open"] });
        expect(question?.approval.prompt).toContain("wants to call send.");
        expect(question?.approval.prompt).toContain('"to": "all"');
        expect(s.universe.effects).toEqual([]);
        await (agrees ? s.approve() : s.deny("no"));
        await s.rehost();
        expect(s.universe.effects.length).toBe(agrees ? 1 : 0);
        expect(s.oracle.broken).toEqual([]);
      }
    },
  );

  test("a guard before the tool sees the tool and its input, and holds it", async () => {
    const seen: unknown[] = [];
    const guard = {
      event: "before_tool" as const,
      when: (facts: Record<string, unknown>) => facts["tool"] === "send",
      says: (facts: Record<string, unknown>) => {
        seen.push(facts["input"]);
        return { action: "fail" as const, message: "not here" };
      },
    };
    const s = staged(
      [execute("send", { to: "all" })],
      { permissions: [VERB, tool("send")] },
      { hooks: [guard] },
    );
    await s.play();
    expect(seen).toEqual([{ to: "all" }]);
    expect(s.universe.effects).toEqual([]);
    expect(await s.row()).toMatchObject({ status: "error" });
  });

  test("a child needs the right to the directive, to start and to say so", async () => {
    const needed = [VERB, tool("thread_tool"), "selvage.execute.directive.child"];
    for (const missing of needed) {
      const permissions = [...needed.filter((right) => right !== missing), "selvage.execute.directive.other"];
      const s = stage(
        [{ calls: [execute("child", {}, "directive")] }, { says: "done" }],
        [],
        {},
        {
          rights: { permissions },
          children: { child: { steps: [{ says: "hello" }] } },
        },
      );
      await s.play();
      expect((await s.world.store.find({})).length).toBe(1);
      expect(results(await s.events())[0]?.[1]).toBe("error");
    }
  });

  test.each<[string, ReturnType<typeof call>, string]>([
    [
      "itself",
      execute("execute", { item_type: "tool", item_id: "send" }),
      "item_id: execute cannot execute itself",
    ],
    ["a name that is a path", execute("../send"), "item_id: no name of an item: a segment starts with a dot"],
    [
      "a type that is none",
      execute("send", {}, "tools"),
      'item_type: "tools" is no type of item; did you mean "tool"?',
    ],
    ["a tool that is none", execute("sent"), 'There is no tool "sent". Did you mean send?'],
    [
      "a value of the runtime",
      call("execute", { item_type: "tool", item_id: "send", _x: 1 }),
      "_x: arguments beginning with _ are reserved",
    ],
  ])("%s runs nothing", async (_, one, output) => {
    const s = staged([one], { permissions: [VERB, tool("*")] });
    await s.play();
    expect(s.universe.effects).toEqual([]);
    expect(results(await s.events())[0]?.slice(1)).toEqual(["error", expect.stringContaining(output)]);
    expect(types(await s.events()).at(-1)).toBe("thread_completed");
  });

  test("parameters are checked by the tool that gets them", async () => {
    const s = staged(
      [execute("wait_threads", { thread_ids: [] }), execute("wait_threads", { _now: 1, thread_ids: ["a"] })],
      {
        permissions: [VERB, tool("*"), "selvage.execute.directive.*"],
      },
    );
    await s.play();
    expect(results(await s.events())).toEqual([
      ["wait_threads", "error", expect.stringMatching(/^thread_ids: /)],
      ["wait_threads", "error", expect.stringMatching(/^_now: /)],
    ]);
  });
});
