// A host with the chat bot, killed at every step from a message to its answer: answered once or visibly marked, never twice.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { UNSURE } from "../../src/core/chat-texts.ts";
import { BotPlace } from "../chat/served/bot-place.ts";
import { lostOnTheWay, takenAndSilent } from "../chat/served/town.ts";
import { until } from "../cli/cli.ts";
import { after, fallsSilent, streams } from "../provider/stand-in.ts";
import { anthropic } from "../provider/wire.ts";

let place: BotPlace;
afterEach(() => place.close());

const says = (text: string) => streams(anthropic.answer(text));
const runs = (command: string, id = "b1") =>
  streams(anthropic.answer("Let me look.", [{ id, name: "bash", json: JSON.stringify({ command }) }]));
const posted = (text: string) => place.town.of("post").includes(text);
const answers = () => place.town.shown().filter((text) => text.startsWith("Answer"));

interface Moment {
  readonly name: string;
  readonly progress?: boolean;
  /** What provider and platform do before and after the kill. */
  readonly plays: () => void;
  readonly isThere: () => boolean | Promise<boolean>;
}

const effects = () => join(place.root, "effects");
const effectLines = () =>
  existsSync(effects()) ? readFileSync(effects(), "utf8").trim().split("\n").length : 0;

const MOMENTS: readonly Moment[] = [
  {
    name: "it is acknowledged",
    plays: () =>
      place.standIn.will(after(new Promise((resolve) => setTimeout(resolve, 300)), says("Answer."))),
    isThere: () => true,
  },
  {
    name: "the provider is asked",
    progress: true,
    plays: () => place.standIn.will(fallsSilent),
    isThere: () => place.standIn.seen.length === 1,
  },
  {
    name: "a tool runs",
    progress: true,
    plays: () => place.standIn.will(runs("echo began >> effects; while [ ! -e go ]; do sleep 0.05; done")),
    isThere: () => effectLines() === 1,
  },
  {
    name: "the answer is meant to be posted",
    plays: () => {
      place.standIn.will(says("Answer."));
      place.town.will("post", lostOnTheWay);
    },
    isThere: () => posted("Answer."),
  },
  {
    name: "it is posted, and that is not noted",
    plays: () => {
      place.standIn.will(says("Answer."));
      place.town.will("post", takenAndSilent);
    },
    isThere: () => posted("Answer."),
  },
  {
    name: "all is done",
    plays: () => place.standIn.will(says("Answer.")),
    isThere: async () => {
      const [row] = (await place.json("ps")).data.threads;
      if (!row) return false;
      const { events } = (await place.json("logs", row.thread_id)).data;
      return events.some(
        ({ type, what, state }: Record<string, string>) =>
          type === "delivery_noted" && what === "answer" && state === "posted",
      );
    },
  },
];

test.each(MOMENTS)(
  "killed when $name: one answer, and the next message is answered too",
  async ({ plays, isThere, progress = false }) => {
    place = await BotPlace.make({ progress });
    plays();
    await place.serve();
    await place.town.say("hi", { id: "first" });
    await until(isThere);
    await place.kill();
    writeFileSync(join(place.root, "go"), "");
    place.standIn.always = says("Answer.");
    await place.serve();
    // The platform never heard that it was received.
    await place.town.say("hi", { id: "first" });
    await until(() => answers().length === 1);
    place.standIn.always = says("Answer two.");
    await place.town.say("and?", { id: "second" });
    await until(() => answers().includes("Answer two."));
    expect(answers()).toEqual(["Answer.", "Answer two."]);
    await until(() => !place.town.shown().some((text) => text.startsWith("●")));
    expect(effectLines()).toBeLessThanOrEqual(1);
    expect((await place.json("verify")).exit).toBe(0);
  },
);

test("killed between post and note, where the platform cannot list what we said: marked, never twice", async () => {
  place = await BotPlace.make({ forgets: true });
  place.standIn.will(says("Answer."));
  place.town.will("post", takenAndSilent);
  await place.serve();
  await place.town.say("hi", { id: "first" });
  await until(() => posted("Answer."));
  await place.kill();
  await place.serve();
  await until(() => place.town.shown().length === 2);
  expect(answers()).toEqual(["Answer."]);
  expect(place.town.shown()[1]).toBe(UNSURE);
  place.standIn.will(says("Answer two."));
  await place.town.say("and?");
  await until(() => answers().length === 2);
});
