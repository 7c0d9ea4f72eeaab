import { expect, test } from "vitest";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import type { StartOptions } from "../../src/surface/sdk/start.ts";
import { defineTool } from "../../src/tool/define.ts";
import { gate, stage, until } from "./stage.ts";

const hello = { prompt: "Hi", model: scripted(["Hello."]) };

test.each<[string, Partial<StartOptions>, string, RegExp]>([
  ["no prompt", { prompt: " " }, "E_USAGE", /There is no prompt/],
  ["an option that there is not", { limit: { spend: 1 } } as object, "E_USAGE", /start\(\) knows no "limit"/],
  ["a limit that there is not", { limits: { turnz: 1 } }, "E_USAGE", /limits cannot be used/],
  ["a limit that is none", { limits: { turns: -1 } }, "E_USAGE", /limits cannot be used/],
  ["a name that is no name", { name: "Über all" }, "E_BAD_ID", /is no name for threads/],
  ["a right that is none", { permissions: ["execute.*.read"] }, "E_USAGE", /is no right/],
  ["no model", { model: undefined }, "E_MODEL_UNKNOWN", /There is no model default/],
  ["a model that there is not", { model: "anthropic/x" }, "E_MODEL_UNKNOWN", /There is no model anthropic/],
  ["a directive that there is not", { directive: "build" }, "E_DIRECTIVE_NOT_FOUND", /no directive build/],
])("%s is refused, and nothing is written", async (_, wrong, code, message) => {
  const { rt, store } = await stage().open();
  const started = rt.start({ ...hello, ...wrong } as StartOptions);
  await expect(started).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(started).rejects.toMatchObject({ what: expect.stringMatching(message) });
  expect(await store.find({})).toEqual([]);
  await rt.close();
});

test("braces in a prompt are nobody's placeholders", async () => {
  const { rt, store } = await stage().open();
  const prompt = "What is {input:prompt}, {input:x} and {input:y?}?";
  const thread = await rt.start({ ...hello, prompt });
  await thread.result();
  const { events } = await store.load(thread.id);
  expect(events.find(({ type }) => type === "cognition_in")).toMatchObject({ text: prompt });
  await rt.close();
});

test("money may be a number, as people write it", async () => {
  const { rt } = await stage().open();
  const thread = await rt.start({ ...hello, limits: { spend: 0.05, turns: 5 } });
  expect((await thread.look()).limits).toMatchObject({ turns: 5 });
  expect((await thread.look()).budget).toMatchObject({ max: "0.0500" });
  await rt.close();
});

test("the same tool may be handed in again, another with its name may not", async () => {
  const { rt } = await stage().open();
  const { tool, release } = gate();
  release();
  const ask = { prompt: "Hi", tools: [tool], model: scripted([tool({}), "Done."]) };
  const threads = [await rt.start(ask), await rt.start(ask)];
  expect((await rt.wait(threads)).success).toBe(true);
  const other = defineTool({ name: "gate", description: "x", input: { type: "object" }, run: () => "" });
  await expect(rt.start({ ...ask, tools: [other] })).rejects.toMatchObject({ code: "E_TOOL_INVALID" });
  await rt.close();
});

test("a thread is found by its whole id", async () => {
  const { rt } = await stage().open();
  const { id } = await rt.start(hello);
  expect((await rt.thread(id)).id).toBe(id);
  await expect(rt.thread(id.slice(0, -1))).rejects.toMatchObject({ code: "E_THREAD_NOT_FOUND" });
  await rt.close();
});

test("closing twice is closing once, and nothing is done after it", async () => {
  const { rt } = await stage().open();
  const thread = await rt.start(hello);
  const closing = rt.close();
  expect(rt.close()).toBe(closing);
  await closing;
  const closed = { code: "E_CLOSED" };
  await expect(rt.start(hello)).rejects.toMatchObject(closed);
  await expect(rt.thread(thread.id)).rejects.toMatchObject(closed);
  await expect(rt.wait([thread])).rejects.toMatchObject(closed);
  await expect(thread.result()).rejects.toMatchObject(closed);
  await expect(thread.cancel()).rejects.toMatchObject(closed);
  await expect(thread.send("x")).rejects.toMatchObject(closed);
  await expect(thread.look()).rejects.toMatchObject(closed);
  expect(() => thread.events()).toThrow("The project is closed.");
  expect(() => thread.text()).toThrow("The project is closed.");
  expect(() => rt.onApproval(() => {})).toThrow("The project is closed.");
});

test("a tool that does not stop when it is told to holds nobody up for ever", async () => {
  const { rt } = await stage().open();
  let isRunning = false;
  const deaf = defineTool({
    name: "deaf",
    description: "x",
    input: { type: "object" },
    run: () => {
      isRunning = true;
      return new Promise(() => {});
    },
  });
  await rt.start({ prompt: "Hi", tools: [deaf], model: scripted([deaf({})]) });
  await until(() => isRunning);
  await rt.close();
});

test("of two programs the second is a client: what it brings is refused, what it asks is done", async () => {
  const { open } = stage();
  const host = await open();
  const guest = await open();
  await expect(guest.rt.start(hello)).rejects.toMatchObject({
    code: "E_LOCKED",
    message: expect.stringContaining("another process hosts the project"),
    next: [{ cmd: "selvage ps" }],
  });
  const { tool, release } = gate();
  const thread = await host.rt.start({ prompt: "Hi", tools: [tool], model: scripted([tool({}), "Done."]) });
  const seen = await guest.rt.thread(thread.id);
  const waiting = seen.result();
  release();
  expect(await waiting).toMatchObject({ status: "completed", text: "Done." });
  await guest.rt.close();
  await host.rt.close();
});

test("when the host is gone, the client hosts", async () => {
  const { open } = stage();
  const host = await open();
  const guest = await open();
  await host.kill();
  await until(async () => {
    const [, row] = await guest.store.hosts();
    return row !== undefined || (await guest.store.hosts()).every(({ owner }) => owner === "process-2");
  });
  await until(() =>
    guest.rt
      .start(hello)
      .then((thread) => thread.result())
      .then(
        () => true,
        () => false,
      ),
  );
  await guest.rt.close();
});
