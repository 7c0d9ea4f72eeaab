/** A universe with one story on stage, for walks that interfere with it. */
import { afterEach, expect } from "vitest";
import type { Event, EventType } from "../../src/core/event.ts";
import type { Request } from "../../src/core/request.ts";
import type { ThreadRow } from "../../src/core/row.ts";
import { createThread, host, postRequest } from "../../src/runtime/index.ts";
import { play, readThread, type Story, storyUniverse } from "../../src/testing/index.ts";
import type { StoryTool } from "../../src/testing/story.ts";
import { STORY_THREAD, storyDirective } from "../../src/testing/story.ts";
import type { OpenedWorld, Universe } from "../../src/testing/universe.ts";
import { replayAll, shown } from "../replay/replaying.ts";

const staged: Universe[] = [];

/** Every walk replays: each of its threads, event by event (X5). */
afterEach(async () => {
  for (const universe of staged.splice(0)) {
    for (const replayed of await replayAll(universe.open().world)) {
      expect(replayed, shown(replayed)).toMatchObject({ divergences: [], events: replayed.total });
    }
  }
});

/** For walks in a world that nobody could know of later: its ports were exchanged under way. */
export function unreplayed(universe: Universe): void {
  staged.splice(staged.indexOf(universe), 1);
}

export const ID = STORY_THREAD;
export const call = (tool: string, input: unknown = {}) => ({ tool, input });

export function stage(
  steps: Story["steps"],
  tools: readonly StoryTool[] = [],
  settings: Story["settings"] = {},
  more: Pick<Story, "limits" | "hooks" | "model" | "rights" | "children" | "items" | "systemNow"> = {},
) {
  const oracle = { broken: [] as string[] };
  const story: Story = { name: "walk", steps, tools, settings, ...more };
  const universe = storyUniverse(story, oracle);
  const first = universe.open();
  const { world } = first;
  staged.push(universe);
  const row = async (): Promise<ThreadRow> => {
    const [found] = await world.store.find({ threadId: ID });
    if (!found) throw new Error("no thread");
    return found;
  };
  const ask = async (request: Partial<Request> & { kind: Request["kind"] }) => {
    const { nonce } = await row().catch(() => ({ nonce: "" }));
    const whole = {
      request_id: `r${Math.random()}`,
      thread_id: ID,
      by: "me",
      nonce,
      reason: "because",
      ...request,
    };
    return postRequest(world, whole as Request);
  };
  const decide = async (approved: boolean, message?: string) => {
    const [question] = await world.store.approvals({ states: ["open"] });
    const approval_id = question?.approval.approval_id ?? "";
    const thread_id = question?.thread_id ?? ID;
    return ask({ kind: "decide", thread_id, approval_id, approved, via: "test", resume: true, message });
  };
  /** Resolves when an event of this type was published. */
  const seen = async (type: EventType, times = 1): Promise<void> => {
    for (let rounds = 0; rounds < 20_000; rounds += 1) {
      const found = universe.notices.filter(
        (notice) => notice.type === "event" && notice.event.type === type,
      );
      if (found.length >= times) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`${type} was not seen`);
  };
  return {
    universe,
    world,
    oracle,
    first,
    row,
    ask,
    approve: (message?: string) => decide(true, message),
    deny: (message?: string) => decide(false, message),
    seen,
    /** Registers the thread without hosting it. */
    make: (opened: OpenedWorld = first) =>
      createThread(opened.world, ID, {
        directive: storyDirective(story),
        inputs: {},
        tools: tools.map((tool) => tool.name),
        limits: more.limits ?? {},
        by: "test",
      }),
    play: (opened: OpenedWorld = first) => play(opened.world, story),
    rehost: (opened: OpenedWorld = first) =>
      host(opened.world, { scope: ID, mayRecover: () => true, patienceMs: 1_000 }),
    thread: async () => (await readThread(world, ID)).thread,
    events: async () => (await readThread(world, ID)).events,
  };
}

/** Lets the event loop turn. */
export async function rounds(count = 1): Promise<void> {
  for (let round = 0; round < count; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

export function types(events: readonly Event[]): string[] {
  return events.map((event) => event.type);
}
