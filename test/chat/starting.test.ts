// Platforms that do not start at once, or never: who waits for them, and who does not.
import { expect, test } from "vitest";
import type { ChatPlatform } from "../../src/core/chat-platform.ts";
import { Starting } from "../../src/surface/chat/starting.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import { FakePlatform } from "./fake-platform.ts";
import { OFFLINE_BOT } from "./offline-adapter.ts";
import { sdkSetting } from "./sdk-stage.ts";
import { quiet, talking, until } from "./stage.ts";

const unreachable = () => Object.assign(new Error("fetch failed"), { code: "ENOTFOUND" });
const refused = () => Object.assign(new Error("no"), { status: 401 });
const failing = (error: unknown) => {
  const failed = Promise.reject(error);
  failed.catch(() => {});
  return failed;
};
const LISTENER = { message: async () => {}, edited: async () => {}, clicked: async () => {} };

test("nothing goes out, and nothing is meant to, before the platform listens; then all of it, once", async () => {
  const { open, platform, shown, troubles } = talking([{ says: "Hello." }]);
  const first = await open();
  platform.next("room", { hangs: true });
  await platform.say("room", "@selvage hi");
  await until(() => platform.calls > 0);
  await first.close();
  const sent = platform.calls;
  let listens = () => {};
  const slow = new Promise<void>((resolve) => {
    listens = resolve;
  });
  platform.startsWith.push(failing(unreachable()), failing(unreachable()), slow);
  const { close } = await open();
  await quiet();
  expect(platform.calls).toBe(sent);
  listens();
  await until(() => shown().includes("Hello."));
  expect(shown()).toEqual(["Hello."]);
  expect(troubles.filter((each) => each.includes("tried again"))).toEqual([
    "fake is tried again in 1 s: fetch failed",
    "fake is tried again in 2 s: fetch failed",
  ]);
  expect(troubles).toContain("fake listens now");
  await close();
});

test("one that refuses its settings is told to who starts it; one that does so later is tried again", async () => {
  const { open, platform } = talking([]);
  platform.startsWith.push(failing(refused()));
  await expect(open()).rejects.toThrow("no");
  platform.startsWith.push(failing(unreachable()), failing(refused()));
  const { close, bot } = await open();
  await until(() => bot.states()["fake"] === "listening");
  await close();
});

test("one that cannot be reached holds up neither the others nor who stops them", async () => {
  const clock = fakeClock();
  const [good, hanging] = [new FakePlatform(clock), new FakePlatform(clock)];
  hanging.startsWith.push(new Promise(() => {}));
  const other: ChatPlatform = Object.assign(Object.create(hanging), {
    name: "other",
    start: (listener: typeof LISTENER) => hanging.start(listener),
  });
  const starting = new Starting({ platforms: [good, other], clock, trouble: () => {} });
  const begun = starting.begin(LISTENER);
  await starting.up("fake");
  expect(starting.states()).toEqual({ fake: "listening", other: "starting" });
  starting.stop();
  await begun;
});

test("the Chat SDK that failed to start starts when it is asked again, and after a stop", async () => {
  const { platform, adapter, send } = await sdkSetting();
  const heard: string[] = [];
  const listener = { ...LISTENER, message: async ({ text }: { text: string }) => void heard.push(text) };
  const say = (id: string) =>
    send({ type: "message", thread: "dm-maya", message: { id, text: id, by: "maya" } });
  adapter.startsWith.push(unreachable());
  await expect(platform.start(listener)).rejects.toMatchObject({ code: "E_CHAT_PLATFORM" });
  expect((await say("too-early")).status).toBe(503);
  await platform.start(listener);
  expect((await say("one")).status).toBe(200);
  await platform.stop();
  expect((await say("between")).status).toBe(503);
  await platform.start(listener);
  expect((await say("two")).status).toBe(200);
  expect(heard).toEqual(["one", "two"]);
  await platform.stop();
});

test("one adapter may speak to two platforms: each has its own places", async () => {
  const { platform, adapter, send } = await sdkSetting({}, "second");
  const places: unknown[] = [];
  await platform.start({ ...LISTENER, message: async ({ place }) => void places.push(place) });
  await send({
    type: "message",
    thread: "C1:T1",
    message: { id: "m", text: `@${OFFLINE_BOT} hi`, by: "maya" },
  });
  const place = { platform: "second", chat: "C1:T1" };
  expect(platform.name).toBe("second");
  expect(places).toEqual([place]);
  const { id } = await platform.post(place, { text: "hello" });
  await platform.edit(place, id, { text: "hello again" });
  expect(adapter.sent).toMatchObject([{ thread: "offline:C1:T1", message: { markdown: "hello again" } }]);
  expect(await platform.recent?.(place, 0)).toMatchObject([{ id }]);
  await platform.stop();
});
