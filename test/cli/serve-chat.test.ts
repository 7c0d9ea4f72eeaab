// A host with the chat bot: what speaks against it is said before anything is hosted, and what fails later ends nothing.
import { afterEach, expect, test } from "vitest";
import { BotPlace } from "../chat/served/bot-place.ts";
import { lostOnTheWay } from "../chat/served/town.ts";
import { streams } from "../provider/stand-in.ts";
import { anthropic } from "../provider/wire.ts";
import { until } from "./cli.ts";
import { addressIn, talk } from "./served.ts";

let place: BotPlace;
afterEach(() => place.close());

const says = (text: string) => streams(anthropic.answer(text));

test("a message is answered where it was said; who looks sees where people can talk", async () => {
  place = await BotPlace.make();
  place.standIn.will(says("Hello."), says("Fine."));
  const { pid, said } = await place.serve();
  expect(await place.town.say("hi")).toBeGreaterThan(0);
  await until(() => place.town.shown().includes("Hello."));
  await place.town.say("how are you?");
  await until(() => place.town.shown().includes("Fine."));
  expect(place.town.shown()).toEqual(["Hello.", "Fine."]);
  expect(said()).toMatch(/Chat: offline sends to http:\/\/127\.0\.0\.1:\d+\/chat\/offline\.\n/);
  expect(said()).toContain("Chat: offline can be talked to.");
  expect((await place.json("status")).data.host).toMatchObject({ pid, kind: "serve", chat: ["offline"] });
  expect(await place.ok("status")).toMatch(/\(selvage serve, up \d+s, chat: offline\)/);
  expect(await place.ok("ps")).toContain("waits for the next message");
  const [line = ""] = (await talk(addressIn(place.root).socket, '{"id":1,"type":"status"}\n')).split("\n");
  expect(JSON.parse(line).data).toMatchObject({ pid, chat: { offline: "listening" } });
});

/** Nothing was hosted, and nobody was asked anything. */
async function refused(args: readonly string[], error: object): Promise<void> {
  const refusal = await place.json("serve", "--chat", ...args);
  expect(refusal).toMatchObject({ kind: "error", error });
  expect(place.town.calls).toEqual([]);
  expect((await place.json("status")).data.host).toBeNull();
}

test("what is missing is named before anything is hosted: a platform, a token, a package", async () => {
  place = await BotPlace.make({ bare: true });
  const line = "npm install chat@4 @chat-adapter/offline@4";
  await refused([], { code: "E_CHAT_PACKAGE", next: [{ cmd: line }] });
  expect((await place.run(["serve", "--chat"])).code).toBe(6);
  await refused(["ofline"], {
    code: "E_CHAT_PLATFORM",
    what: "chat.yaml names no platform ofline.",
    why: expect.stringContaining("Did you mean offline?"),
  });
  const { OFFLINE_ENTRY: token } = place.env;
  delete place.env["OFFLINE_ENTRY"];
  await refused(["offline"], {
    code: "E_CHAT_PLATFORM",
    what: "The chat platform offline needs OFFLINE_ENTRY, which is not set.",
  });
  expect((await place.run(["serve", "--chat"])).code).toBe(7);
  place.env["OFFLINE_ENTRY"] = token;
  place.writeUsers("chat.yaml", "talk: everybody\n");
  await refused([], { code: "E_CHAT_PLATFORM", what: "chat.yaml names no chat platform." });
  expect(await place.json("serve", "--chat-port", "1")).toMatchObject({
    exit: 2,
    error: { code: "E_USAGE" },
  });
  expect((await place.json("serve", "--chat", "--chat-port", "99999")).exit).toBe(2);
});

test("a port that is taken, and a model that nobody can ask", async () => {
  place = await BotPlace.make();
  const { port } = new URL(place.town.url);
  await refused(["--chat-port", port], { code: "E_CHAT_PORT" });
  delete place.env["ANTHROPIC_API_KEY"];
  await refused(["--chat-port", "0"], { code: "E_AUTH" });
});

test("a token that the platform refuses ends it at once, and is not shown", async () => {
  place = await BotPlace.make();
  place.env["OFFLINE_ENTRY"] = "offline-token-wrong-77";
  const { code, stdout, stderr } = await place.run(["serve", "--chat", "--chat-port", "0"]);
  expect(code).toBe(7);
  expect(stderr).toContain("The chat platform offline could not be opened");
  expect(stdout + stderr).not.toContain("offline-token-wrong-77");
  expect(stdout).toContain("Hosting ");
  expect((await place.json("status")).data.host).toBeNull();
});

test("a platform that is down is tried again; meanwhile threads are hosted, and what is owed is kept", async () => {
  place = await BotPlace.make();
  place.standIn.will(says("Hello."), says("A."), says("Later."));
  await place.serve();
  await place.town.say("hi");
  await until(() => place.town.shown().includes("Hello."));
  place.town.will("post", lostOnTheWay);
  await place.town.say("and?");
  await until(() => place.town.of("post").includes("A."));
  await place.kill();
  place.town.will("start", { status: 503 }, { status: 503 });
  const { serve, said } = await place.serve();
  let err = "";
  serve.child.stderr?.on("data", (bytes) => {
    err += bytes;
  });
  expect((await place.json("status")).data.host).toMatchObject({ kind: "serve" });
  await until(() => err.includes("offline listens now"));
  expect(err).toMatch(/offline is tried again in 1 s: .*answered 503/);
  expect(said()).toContain("Hosting ");
  await until(() => place.town.shown().includes("A."));
  expect(place.town.shown().filter((text) => text === "A.")).toEqual(["A."]);
  await place.town.say("later?");
  await until(() => place.town.shown().includes("Later."));
});

test("what its package forgets to catch ends neither the bot nor the host, and shows no token", async () => {
  place = await BotPlace.make();
  place.town.strays = true;
  place.standIn.will(says("Still here."));
  const { serve } = await place.serve();
  await place.town.say("hi");
  await until(() => place.town.shown().includes("Still here."));
  serve.child.kill("SIGTERM");
  const { code, stderr } = await serve.ended;
  expect(code).toBe(143);
  expect(stderr).toMatch(/something that nobody waited for failed: a stray with \[secret/);
  expect(stderr).not.toContain(place.town.token);
});
