import { expect, test } from "vitest";
import { host, postRequest } from "../../src/runtime/index.ts";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import { gate, type Program, stage, until } from "./stage.ts";

const script = (tool: ReturnType<typeof gate>["tool"]) => scripted([tool({}), "Done."]);

/** A program that dies while its tool runs. */
async function dead(scene = stage(), effect: "pure" | "manual" = "pure") {
  const first = await scene.open();
  const { tool, state } = gate("gate", effect);
  const thread = await first.rt.start({ prompt: "Hi", tools: [tool], model: script(tool) });
  await until(() => state.runs === 1);
  await first.kill();
  return { ...scene, id: thread.id, tool };
}

const statusOf = async ({ store }: Program, threadId: string) => (await store.find({ threadId }))[0]?.status;

test("with its tools and its script it comes back by itself, and ends", async () => {
  const { open, id } = await dead();
  const { tool, release } = gate();
  release();
  const second = await open({ tools: [tool] });
  // The script is handed in with a start; until then the model is not there.
  expect(second.rt.leftBehind).toMatchObject([{ thread_id: id, tools: [], model: expect.any(String) }]);
  await second.rt.start({ prompt: "Other", tools: [tool], model: script(tool) });
  expect(second.rt.leftBehind).toEqual([]);
  expect(await (await second.rt.thread(id)).result()).toMatchObject({ status: "completed", text: "Done." });
  await second.rt.close();
});

test("without them it is not taken up, it is listed, and to wait for it is refused", async () => {
  const { open, id } = await dead();
  const second = await open();
  expect(second.rt.leftBehind).toEqual([{ thread_id: id, tools: ["gate"], model: expect.any(String) }]);
  const other = await second.rt.start({ prompt: "Hi", model: scripted(["Hello."]) });
  expect(await other.result()).toMatchObject({ status: "completed" });
  expect(await statusOf(second, id)).toBe("running");
  await expect((await second.rt.thread(id)).result()).rejects.toMatchObject({ code: "E_NOT_BROUGHT" });
  await second.rt.close();
});

test("a host that is no program leaves it alone, in whatever state it is", async () => {
  const scene = stage();
  const first = await scene.open();
  const { tool, release } = gate();
  const opened = scene.universe.open();
  const idle = () => host(opened.world, { scope: "*", mayRecover: () => true, patienceMs: 10 });
  // Closed in good order: nobody owns it, and it could go on.
  const thread = await first.rt.start({ prompt: "Hi", tools: [tool], model: script(tool) });
  await until(async () =>
    (await first.store.load(thread.id)).events.some(({ type }) => type === "tool_call_start"),
  );
  await first.rt.close();
  await idle();
  const [row] = await opened.world.store.find({ threadId: thread.id });
  expect(row).toMatchObject({
    status: "running",
    owner: null,
    brought: ["gate", expect.stringMatching(/^scripted/)],
  });
  release();
});

test("an end that is asked for needs none of its tools", async () => {
  const { open, id } = await dead();
  const second = await open();
  const thread = await second.rt.thread(id);
  expect(await thread.cancel("no more")).toBe(true);
  expect(await thread.result()).toMatchObject({ status: "cancelled", reason: "no more" });
  await second.rt.close();
});

test("an answer to it waits for its program", async () => {
  const scene = stage();
  const first = await scene.open();
  const { tool, release } = gate();
  release();
  const asking = { prompt: "Hi", tools: [tool], model: script(tool), limits: { turns: 1 } };
  const thread = await first.rt.start(asking);
  await thread.result();
  await first.kill();
  const other = scene.universe.open();
  const [question] = await other.world.store.approvals({ states: ["open"] });
  await postRequest(other.world, {
    ...{ kind: "decide", request_id: "r1", thread_id: thread.id, by: "me", via: "test", resume: true },
    ...{ approval_id: question?.approval.approval_id ?? "", approved: true, limits: { turns: 5 } },
  });
  await host(other.world, { scope: thread.id, mayRecover: () => true, patienceMs: 10 });
  const [row] = await other.world.store.find({ threadId: thread.id });
  expect(row?.status).toBe("suspended");
  const second = await scene.open({ tools: [tool] });
  await second.rt.start(asking);
  expect(await (await second.rt.thread(thread.id)).result()).toMatchObject({ status: "completed" });
  await second.rt.close();
});

test("with recover: off, what a crash left stays where it is", async () => {
  const { open, id } = await dead();
  const { tool, release } = gate();
  release();
  const second = await open({ tools: [tool], recover: "off" });
  await (await second.rt.start({ prompt: "Other", tools: [tool], model: script(tool) })).result();
  expect(await statusOf(second, id)).toBe("running");
  await second.rt.close();
});

test("a manual tool that was cut off is not run again", async () => {
  const { open, id, universe } = await dead(stage(), "manual");
  const { tool, state, release } = gate("gate", "manual");
  release();
  const second = await open({ tools: [tool] });
  const other = await second.rt.start({ prompt: "Other", tools: [tool], model: script(tool) });
  await other.result();
  expect(await (await second.rt.thread(id)).result()).toMatchObject({ status: "completed" });
  expect(state.runs).toBe(1);
  const { events } = await second.store.load(id);
  const result = events.find((event) => event.type === "tool_call_result");
  expect(result).toMatchObject({ status: "unknown", source: "repair" });
  expect(universe.notices.length).toBeGreaterThan(0);
  await second.rt.close();
});
