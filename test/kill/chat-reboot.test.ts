// The reboot of a chat bot into a valid state, row by row of what it may lose and what not; nobody does anything for it.
import { afterEach, expect, test } from "vitest";
import { BotPlace } from "../chat/served/bot-place.ts";
import { until } from "../cli/cli.ts";
import { effects, threads } from "../cli/family.ts";
import { fallsSilent, streams } from "../provider/stand-in.ts";
import { anthropic } from "../provider/wire.ts";

let place: BotPlace;
afterEach(() => place.close());

const says = (text: string) => streams(anthropic.answer(text));
const runs = (command: string) =>
  streams(anthropic.answer("Let me look.", [{ id: "b1", name: "bash", json: JSON.stringify({ command }) }]));

async function answered(text: string, count = 1): Promise<void> {
  await until(() => place.town.shown().filter((each) => each === text).length === count);
}

/** What the provider was told last, as one text. */
const lastAsked = () => JSON.stringify(place.standIn.seen.at(-1)?.body.messages);

/** The words, in this order. */
const inOrder = (...words: string[]) => new RegExp(words.join("[\\s\\S]*"));

async function reboot(): Promise<void> {
  await place.kill();
  await place.serve();
}

test("context: killed in the middle of a turn, nothing that was said before is lost", async () => {
  place = await BotPlace.make();
  place.standIn.will(says("Blue it is."), fallsSilent, says("You said blue."));
  await place.serve();
  await place.town.say("My colour is blue.");
  await answered("Blue it is.");
  await place.town.say("Which is it?");
  await place.standIn.asked(2);
  await reboot();
  await answered("You said blue.");
  expect(lastAsked()).toMatch(inOrder("My colour is blue", "Blue it is", "Which is it"));
  expect(lastAsked().split("Which is it").length).toBe(2);
});

test("in-memory actor state: lost, and made again on demand; the same thread goes on", async () => {
  place = await BotPlace.make();
  place.standIn.will(says("One."), says("Two."), says("Elsewhere."));
  await place.serve();
  await place.town.say("first");
  await answered("One.");
  await reboot();
  await place.town.say("second");
  await answered("Two.");
  expect(lastAsked()).toMatch(inOrder("first", "One.", "second"));
  await place.town.say("hi", { thread: "dm-noah", by: "noah" });
  await until(() => place.town.shown("dm-noah").includes("Elsewhere."));
  expect(lastAsked()).not.toContain("first");
  expect((await threads(place)).map(({ status }) => status)).toEqual(["running", "running"]);
});

test("queued prompts: kept, and answered in order, each once", async () => {
  place = await BotPlace.make({ progress: true });
  place.standIn.will(fallsSilent);
  await place.serve();
  await place.town.say("first");
  await place.standIn.asked(1);
  await place.town.say("second");
  await place.town.say("third");
  place.standIn.will(says("One."), says("Two."), says("Three."));
  await reboot();
  await answered("Three.");
  // What had a progress message keeps the pace of edits, and its place.
  await answered("One.");
  expect(place.town.shown().filter((text) => !text.startsWith("!"))).toEqual(["One.", "Two.", "Three."]);
  expect(lastAsked()).toMatch(inOrder("first", "One", "second", "Two", "third"));
});

test("in-flight run: goes on from its last finished turn; what it did is not done again", async () => {
  place = await BotPlace.make();
  place.standIn.will(runs("echo effect >> effects; echo seen-by-the-tool"), fallsSilent, says("Done."));
  await place.serve();
  await place.town.say("do it");
  await place.standIn.asked(2);
  await reboot();
  await answered("Done.");
  expect(effects(place)).toEqual(["effect"]);
  expect(lastAsked()).toContain("seen-by-the-tool");
  expect(place.standIn.seen).toHaveLength(3);
});

test("settings: read at the start; a restart picks up what was changed", async () => {
  place = await BotPlace.make();
  const platforms = "platforms: { offline: { env: { url: OFFLINE_URL, token: OFFLINE_ENTRY } } }\n";
  place.writeUsers("chat.yaml", `${platforms}talk: [offline:maya]\n`);
  place.standIn.always = says("Hello.");
  await place.serve();
  const noahSays = () => place.town.say("hi", { by: "noah", thread: "dm-noah" });
  await noahSays();
  await until(() => place.town.of("whisper").length === 1);
  place.writeUsers("chat.yaml", platforms);
  await noahSays();
  await until(() => place.town.of("whisper").length === 2);
  expect(place.town.shown("dm-noah")).toEqual([]);
  await reboot();
  await noahSays();
  await until(() => place.town.shown("dm-noah").includes("Hello."));
});
