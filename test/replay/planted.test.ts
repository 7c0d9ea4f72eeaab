// What was changed in a journal, or in what decides, is found at the event that it changes.
import { expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { ruleSet } from "../../src/core/rule.ts";
import { defaultSettings } from "../../src/core/settings.ts";
import type { World } from "../../src/core/world.ts";
import { play, type Story, storyUniverse } from "../../src/testing/index.ts";
import { STORY_THREAD } from "../../src/testing/story.ts";
import { channelStories } from "../crash/channel-stories.ts";
import { contextStories } from "../crash/context-stories.ts";
import {
  brokenStream,
  limitApproved,
  parallelTools,
  parkAndWake,
  rightAsks,
  rightTaken,
} from "../crash/stories.ts";
import { replayOne } from "./replaying.ts";

async function played(story: Story) {
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

async function firstOf(world: World, change: (event: Event) => Event, threadId: string = STORY_THREAD) {
  const { divergences } = await replayOne(world, threadId, altered(world, change));
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

test("what a thread does in a channel comes out of the code; what it is told there is told", async () => {
  const [story] = channelStories as [Story, ...Story[]];
  const world = await played(story);
  const ann = (await world.store.find({})).find(({ directive }) => directive === "ann");
  const first = (change: (event: Event) => Event) => firstOf(world, change, ann?.thread_id);
  expect(ann).toBeDefined();
  expect(await first((event) => event)).toBeUndefined();
  expect(await first(of("channel_posted", { text: "another" }))).toEqual({
    type: "channel_posted",
    fields: ["text"],
  });
  expect(await first(of("channel_joined", { mode: "on_demand" }))).toEqual({
    type: "channel_joined",
    fields: ["mode"],
  });
  expect(await first(of("channel_read", { upto: 1 }))).toEqual({ type: "channel_read", fields: ["upto"] });
  const heard = (event: Event) =>
    event.type === "channel_heard" && event.what === "posted" ? { ...event, text: "b2" } : event;
  expect(await first(heard)).toEqual({ type: "tool_call_result", fields: ["output"] });
});

test("a thread that had no money for notes has none again, and counts what it hands on", async () => {
  const story = contextStories.find(({ name }) => name.includes("does not fit")) as Story;
  const world = await played(story);
  const { events } = await world.store.load(STORY_THREAD);
  const end = events.find(({ type }) => type === "context_compaction_end");
  expect(end).toMatchObject({ without_notes: "there is no money left for them" });
  expect(await firstOf(world, (event) => event)).toBeUndefined();
  expect(await firstOf(world, of("context_compaction_end", { tokens_after: 1 }))).toEqual({
    type: "context_compaction_end",
    fields: ["tokens_after"],
  });
  const { continuation } = world.settings;
  const cheap = { ...continuation, summary_limit_overrides: { turns: 3, spend: "0.01" } };
  const paid = await replayOne(world, STORY_THREAD, {
    settings: { ...world.settings, continuation: cheap },
  });
  expect(paid.divergences).toMatchObject([
    { recorded: { type: "context_compaction_end" }, now: { type: "child_thread_started" } },
  ]);
});

test("a call by execute is read back in the words of the model", async () => {
  const world = await played(rightAsks);
  expect(await firstOf(world, (event) => event)).toBeUndefined();
  expect(await firstOf(world, of("tool_call_start", { effect: "keyed" }))).toEqual({
    type: "tool_call_start",
    fields: ["effect"],
  });
  // Without knowing more of its tools than the journal tells.
  const blind = await replayOne(world, STORY_THREAD, { tool: () => undefined });
  expect(blind).toMatchObject({ divergences: [], events: blind.total });
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
