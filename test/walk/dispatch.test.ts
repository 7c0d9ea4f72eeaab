import { expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import type { Tool } from "../../src/core/tool.ts";
import { call, stage, types } from "./stage.ts";

test("a tool starts while the answer still streams", async () => {
  const { play, universe } = stage(
    [{ calls: [call("quick")], streams: { chunks: ["a"] }, hangs: 5 }, { says: "done" }],
    [{ name: "quick", effect: "manual" }],
  );
  await play();
  const order = universe.notices.flatMap((notice) => (notice.type === "event" ? [notice.event.type] : []));
  expect(order.indexOf("tool_call_result")).toBeLessThan(order.indexOf("cognition_out"));
});

test("a tool turn has two commits, a text turn one", async () => {
  const { play, universe, world } = stage(
    [{ says: "a", calls: [call("quick")] }, { says: "done" }],
    [{ name: "quick", effect: "manual" }],
  );
  const batches: string[] = [];
  const { commit } = world.store;
  world.store.commit = (lease, batch) => {
    batches.push([...batch.events, ...(batch.tail ?? [])].map((event) => event.type).join(" "));
    return commit(lease, batch);
  };
  await play();
  expect(batches).toEqual([
    "thread_started step_start",
    "tool_call_start",
    "tool_call_result cognition_out step_finish step_start",
    "cognition_out step_finish thread_completed",
  ]);
  expect(universe.effects).toHaveLength(1);
});

test("what closed before a call is journaled with it", async () => {
  const { play, events } = stage(
    [
      { says: "Thinking.", calls: [call("lane", { n: 1 }), call("lane", { n: 2 }), call("other")] },
      { says: "done" },
    ],
    [
      { name: "lane", effect: "manual", rounds: 30 },
      { name: "other", effect: "manual" },
    ],
  );
  await play();
  const starts = (await events()).filter((event) => event.type === "tool_call_start");
  expect(starts.map((event) => [event.tool, event.at, event.preceding.map((each) => each.at)])).toEqual([
    ["lane", 1, [0]],
    ["other", 3, [2]],
    ["lane", 2, []],
  ]);
});

test("a tool that outlives the stream by 50 ms does not hold back the answer", async () => {
  const { play, events } = stage(
    [{ says: "a", calls: [call("slow")] }, { says: "done" }],
    [{ name: "slow", effect: "manual", rounds: 400 }],
  );
  await play();
  const order = types(await events());
  expect(order.indexOf("cognition_out")).toBeLessThan(order.indexOf("tool_call_result"));
});

test("an unknown tool and a tool that throws give error results, and the thread goes on", async () => {
  const { play, thread, world } = stage(
    [{ calls: [call("nope"), call("bad")] }, { says: "done" }],
    [{ name: "bad", effect: "manual" }],
  );
  const { tool } = world;
  Object.assign(world, {
    tool: (name: string) => {
      const found = tool(name);
      return found && { ...found, run: () => Promise.reject(new Error("boom")) };
    },
  });
  await play();
  const results = toArray((await thread()).messages).flatMap((message) =>
    message.role === "tool" ? message.results : [],
  );
  expect(results.map((result) => [result.tool, result.status])).toEqual([
    ["nope", "error"],
    ["bad", "error"],
  ]);
  expect(results[0]?.output).toContain('There is no tool "nope"');
  expect(results[1]?.output).toContain("boom");
  expect((await thread()).status).toBe("completed");
});

test("no more calls run at once than the settings allow", async () => {
  const calls = Array.from({ length: 8 }, (_, n) => call("pure", { n }));
  const { play, world, thread } = stage(
    [{ calls }, { says: "done" }],
    [{ name: "pure", effect: "pure", rounds: 5 }],
    {
      concurrency: { max_children: 25, max_parallel_calls: 3 },
    },
  );
  let running = 0;
  let most = 0;
  const { tool } = world;
  Object.assign(world, {
    tool: (name: string) => {
      const found = tool(name);
      if (!found) return undefined;
      const run: Tool["run"] = async (input, context) => {
        running += 1;
        most = Math.max(most, running);
        return found.run(input, context).finally(() => {
          running -= 1;
        });
      };
      return { ...found, run };
    },
  });
  await play();
  expect(most).toBe(3);
  expect((await thread()).status).toBe("completed");
});

test("a stream that breaks after a tool has started is the answer, cut; it is not asked again", async () => {
  const { play, events, oracle, universe } = stage(
    [{ says: "a", calls: [call("send")], fails: { message: "reset" } }, { says: "done" }],
    [{ name: "send", effect: "manual" }],
  );
  await play();
  const answers = (await events()).filter((event) => event.type === "cognition_out");
  expect(answers.map((event) => event.truncated)).toEqual([true, false]);
  expect(universe.effects).toHaveLength(1);
  expect(oracle.broken).toEqual([]);
});

test("the journal keeps an output whole, however long it is", async () => {
  const long = `${"0123456789".repeat(30_000)}\u0000end`;
  const { play, world, events } = stage(
    [{ calls: [call("long")] }, { says: "done" }],
    [{ name: "long", effect: "pure" }],
  );
  const { tool } = world;
  const run = async () => ({ status: "ok" as const, output: long });
  Object.assign(world, { tool: (name: string) => ({ ...tool(name), run }) });
  await play();
  expect((await events()).find((event) => event.type === "tool_call_result")?.output).toBe(long);
});

test("a model that goes round in circles is told, and the journal keeps the plain result", async () => {
  const same = { calls: [call("look", { at: 1 })] };
  const { play, thread, events } = stage(
    [same, same, same, { says: "done" }],
    [{ name: "look", effect: "pure" }],
  );
  await play();
  const read = toArray((await thread()).messages).flatMap((message) =>
    message.role === "tool" ? message.results : [],
  );
  expect(read.map((result) => result.output.includes("[Notice:"))).toEqual([false, false, true]);
  const stored = (await events()).filter((event) => event.type === "tool_call_result");
  expect(stored.some((event) => event.output.includes("[Notice:"))).toBe(false);
});
