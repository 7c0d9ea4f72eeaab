// What was changed in a journal, or in what decides, is found at the event that it changes.
import { expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { ruleSet } from "../../src/core/rule.ts";
import { defaultSettings } from "../../src/core/settings.ts";
import type { World } from "../../src/core/world.ts";
import { play, storyUniverse } from "../../src/testing/index.ts";
import { STORY_THREAD } from "../../src/testing/story.ts";
import { brokenStream, limitApproved, parallelTools, parkAndWake, rightTaken } from "../crash/stories.ts";
import { replayOne } from "./replaying.ts";

async function played(story: typeof parkAndWake) {
  const { world } = storyUniverse(story, { broken: [] }).open();
  await play(world, story);
  return world;
}

/** The same journal with one event as somebody wishes it. */
function altered(world: World, change: (event: Event) => Event) {
  const load: World["store"]["load"] = async (id) => {
    const { events } = await world.store.load(id);
    return { events: events.map(change) };
  };
  return { store: { ...world.store, load } };
}

async function firstOf(world: World, change: (event: Event) => Event) {
  const { divergences } = await replayOne(world, STORY_THREAD, altered(world, change));
  const [first] = divergences;
  return first && { type: first.recorded?.type, fields: first.differences.map(({ field }) => field) };
}

const of =
  (type: Event["type"], changed: object) =>
  (event: Event): Event =>
    (event.type === type ? { ...event, ...changed } : event) as Event;

test("an event that was altered is the first to differ", async () => {
  const parked = await played(parkAndWake);
  expect(await firstOf(parked, (event) => event)).toBeUndefined();
  expect(await firstOf(parked, of("auto_retry_start", { delayMs: 1 }))).toEqual({
    type: "auto_retry_start",
    fields: ["delayMs"],
  });
  expect(await firstOf(parked, of("error_classified", { category: "permanent" }))).toEqual({
    type: "error_classified",
    fields: ["category"],
  });
  expect(await firstOf(parked, of("thread_completed", { text: "Done!" }))).toEqual({
    type: "thread_completed",
    fields: ["text"],
  });
  const limited = await played(limitApproved);
  expect(await firstOf(limited, of("limit_escalation_requested", { proposed_max: 7 }))).toEqual({
    type: "limit_escalation_requested",
    fields: ["proposed_max"],
  });
  expect(await firstOf(limited, of("approval_requested", { digest: "0" }))).toEqual({
    type: "approval_requested",
    fields: ["digest"],
  });
  const taken = await played(rightTaken);
  const denied = (event: Event) =>
    event.type === "tool_call_result" && event.output.startsWith("Not allowed")
      ? { ...event, status: "ok" as const, output: "did it" }
      : event;
  expect(await firstOf(taken, denied)).toEqual({ type: "tool_call_result", fields: ["status", "output"] });
});

test("a call key, a hold and a bill come out of the code", async () => {
  const world = await played(parallelTools);
  const hold = (event: Event) =>
    event.type === "step_start" && event.hold
      ? { ...event, hold: { ...event.hold, amount: event.hold.amount + 1 } }
      : event;
  expect(await firstOf(world, hold)).toEqual({ type: "step_start", fields: ["hold.amount"] });
  const bill = (event: Event) =>
    event.type === "cognition_out" && event.bill
      ? { ...event, bill: { ...event.bill, amount: event.bill.amount + 1 } }
      : event;
  expect(await firstOf(world, bill)).toEqual({ type: "cognition_out", fields: ["bill.amount"] });
});

test("a failure without a status is classified again by what is kept of it", async () => {
  const world = await played({ ...parkAndWake, steps: [{ fails: { message: "gone" } }, { says: "back" }] });
  expect(await firstOf(world, (event) => event)).toBeUndefined();
  const { events } = await world.store.load(STORY_THREAD);
  expect(events.find(({ type }) => type === "error_classified")).toMatchObject({
    rule: "stream-cut",
    cause: { kind: "stream_cut" },
  });
});

test("an event that is missing, or one too many, is found where it is", async () => {
  const world = await played(parallelTools);
  const { events } = await world.store.load(STORY_THREAD);
  const at = events.findIndex(({ type }) => type === "step_finish");
  const cut = async () => ({ events: events.filter((_, index) => index !== at) });
  const missing = await replayOne(world, STORY_THREAD, { store: { ...world.store, load: cut } });
  expect(missing).toMatchObject({
    parted: true,
    divergences: [{ seq: at + 1, now: { type: "step_finish" } }],
  });
  const twice = async () => ({ events: [...events.slice(0, at + 1), ...events.slice(at)] });
  const doubled = await replayOne(world, STORY_THREAD, { store: { ...world.store, load: twice } });
  expect(doubled).toMatchObject({ parted: true, divergences: [{ recorded: { type: "step_finish" } }] });
});

test("a rule or a setting that changed is found where it decides", async () => {
  const world = await played(brokenStream);
  const rules = ruleSet([{ id: "mine", match: { status: 503 }, category: "permanent" }]);
  const ruled = await replayOne(world, STORY_THREAD, { rules });
  expect(ruled.divergences).toMatchObject([
    { recorded: { type: "error_classified" }, now: { rule: "mine", category: "permanent" } },
  ]);
  const settings = { ...defaultSettings, retry: { ...defaultSettings.retry, max_retries: 9 } };
  const patient = await replayOne(world, STORY_THREAD, { settings });
  expect(patient.divergences).toMatchObject([
    { recorded: { type: "auto_retry_start" }, differences: [{ field: "maxAttempts" }] },
  ]);
});
