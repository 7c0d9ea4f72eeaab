// What a dead bot left behind in a chat: messages that say "working", cards with buttons, a platform that does not answer.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { BotPlace } from "../chat/served/bot-place.ts";
import { lostOnTheWay } from "../chat/served/town.ts";
import { until } from "../cli/cli.ts";
import { effects } from "../cli/family.ts";
import { streams } from "../provider/stand-in.ts";
import { anthropic } from "../provider/wire.ts";

let place: BotPlace;
afterEach(() => place.close());

const says = (text: string) => streams(anthropic.answer(text));
const runs = (command: string) =>
  streams(anthropic.answer("Let me look.", [{ id: "b1", name: "bash", json: JSON.stringify({ command }) }]));
const card = () => place.town.messages.find(({ text }) => text.includes("needs a decision"));
const working = () => place.town.shown().filter((text) => text.startsWith("●"));

test("a progress message that a kill left at work comes to an end, and the answer is there once", async () => {
  place = await BotPlace.make({ progress: true });
  place.standIn.will(runs("echo began >> effects; while [ ! -e go ]; do sleep 0.05; done"), says("Answer."));
  await place.serve();
  await place.town.say("hi");
  await until(() => working().length === 1);
  await place.kill();
  expect(working()).toHaveLength(1);
  writeFileSync(join(place.root, "go"), "");
  await place.serve();
  await until(() => place.town.shown().includes("Answer.") && working().length === 0);
  expect(place.town.shown().filter((text) => text === "Answer.")).toHaveLength(1);
  expect(effects(place)).toEqual(["began"]);
});

test("a card of before the kill is answered by its button, once; a second click does no harm", async () => {
  place = await BotPlace.make({ asks: true });
  place.standIn.will(runs("echo allowed >> effects"), says("Done."));
  await place.serve();
  await place.town.say("do it");
  const asked = await until(card);
  await place.kill();
  await place.serve();
  const buttons = { ...asked, buttons: [...asked.buttons] };
  await place.town.click(buttons, "Approve");
  await place.town.click(buttons, "Approve");
  await until(() => place.town.shown().includes("Done."));
  await until(() => asked.text.startsWith("✓ Approved by "));
  expect(asked.buttons).toEqual([]);
  expect(effects(place)).toEqual(["allowed"]);
});

test("who may not approve is told so, and nothing happens; a decision made in a terminal changes the card", async () => {
  place = await BotPlace.make({ asks: true });
  place.standIn.will(runs("echo allowed >> effects"), says("Done."));
  await place.serve();
  await place.town.say("do it");
  const asked = await until(card);
  await place.town.click(asked, "Approve", "mallory");
  await until(() => place.town.of("whisper").length + place.town.shown().length > 1);
  expect(effects(place)).toEqual([]);
  const [question] = (await place.json("approvals")).data.approvals;
  expect((await place.json("approve", question.approval_id)).exit).toBe(0);
  await until(() => asked.text.startsWith("✓ Approved by "));
  expect(asked.text).toContain("via cli");
  expect(asked.buttons).toEqual([]);
  await until(() => place.town.shown().includes("Done."));
});

test("a decision made while no host was there changes the card at the next start", async () => {
  place = await BotPlace.make({ asks: true });
  place.standIn.will(runs("echo allowed >> effects"), says("Done."));
  await place.serve();
  await place.town.say("do it");
  const asked = await until(card);
  await place.kill();
  const [question] = (await place.json("approvals")).data.approvals;
  await place.json("approve", question.approval_id);
  await place.serve();
  await until(() => asked.text.startsWith("✓ Approved by ") && place.town.shown().includes("Done."));
});

test("told to stop while the platform hangs: gone within 5 s, and the answer comes with the next start, once", async () => {
  place = await BotPlace.make();
  place.standIn.will(says("Answer."));
  place.town.will("post", lostOnTheWay);
  const { serve } = await place.serve();
  await place.town.say("hi");
  await until(() => place.town.of("post").includes("Answer."));
  const began = performance.now();
  serve.child.kill("SIGTERM");
  expect((await serve.ended).code).toBe(143);
  expect(performance.now() - began).toBeLessThan(5_000);
  await place.serve();
  await until(() => place.town.shown().includes("Answer."));
  expect(place.town.shown()).toEqual(["Answer."]);
});

test("a platform that limits, fails and delivers three times at once: one answer", async () => {
  place = await BotPlace.make();
  place.standIn.will(says("Answer."));
  place.standIn.always = says("Once too often.");
  place.town.will("post", { status: 429, retryAfter: 1 }, { status: 503 });
  await place.serve();
  await Promise.all([1, 2, 3].map(() => place.town.say("hi", { id: "same" })));
  await until(() => place.town.shown().includes("Answer."));
  await place.town.say("hi", { id: "same" });
  await place.town.say("next", { id: "other" });
  await until(() => place.town.shown().includes("Once too often."));
  expect(place.town.shown()).toEqual(["Answer.", "Once too often."]);
  expect(place.standIn.seen).toHaveLength(2);
});
