// Whatever a call of `channel` was told, the others that are put into the registry for it lead to the same words.
import { expect, test } from "vitest";
import { planChannel } from "../../src/core/channel-plan.ts";
import { channelState } from "../../src/core/channel-registry.ts";
import type { Event, NewEvent } from "../../src/core/event.ts";
import { newRow } from "../../src/core/row.ts";
import { seatOthers } from "../../src/replay/talk.ts";
import { Tape } from "../../src/replay/tape.ts";
import { memoryDisk } from "../../src/store/stores/memory.ts";

const ID = "ann-1-000000";
const join = (mode?: string) => ({ action: "join", channel: "plan", ...(mode ? { mode } : {}) });
const post = { action: "post", channel: "plan", text: "a1" };
const joined = (mode: "round_robin" | "on_demand"): NewEvent => ({
  ...{ type: "channel_joined", call_id: "call_0", channel: "plan", mode, n: 3 },
  members: [{ id: "bob-1-000000", directive: "bob", last: 2 }],
});

function replanned(ask: object, result: { status: "ok" | "error"; output: string }, before: NewEvent[]) {
  const call = { turn: 1, call_id: "call_1", tool: "channel" };
  const events: NewEvent[] = [
    ...before,
    { type: "tool_call_start", ...call, at: 0, input: ask, effect: "pure", preceding: [] },
    { type: "tool_call_result", ...call, ...result, source: "run", duration_ms: 0 },
  ];
  const head = { v: 1, ts: "2026-01-01T00:00:00.000Z", thread_id: ID };
  const tape = new Tape(
    ID,
    events.map((event, at) => ({ ...head, seq: at + 1, ...event }) as Event),
  );
  tape.play(before.length);
  const disk = memoryDisk();
  const channels = Object.entries(tape.thread.channels).map(([name, { mode, last }]) => ({
    name,
    mode,
    last,
  }));
  const outside = { epoch: 0, owner: null, strikes: [], corrupt: null, hash: "" };
  disk.rows.set(ID, { ...newRow(ID), ...outside, channels });
  // What was put there for an earlier call is gone.
  disk.rows.set("seat x", {
    ...newRow("seat x"),
    ...outside,
    channels: [{ name: "plan", mode: "on_demand", last: 9 }],
  });
  seatOthers(disk, tape);
  const state = channelState([...disk.rows.values()], "plan");
  return planChannel(tape.thread, { callId: "call_1", ask: ask as never, now: 0 }, state).outcome;
}

test.each<[string, object, NewEvent[]]>([
  ["The channel plan has 50 members already.", join(), []],
  ["The channel plan is full: 2000 words were said in it. Use another one.", join("on_demand"), []],
  ["The channel plan is on_demand.", join("round_robin"), []],
  [
    "It is the turn of bob-1-000000 in the channel plan. A read waits until it is yours.",
    post,
    [joined("round_robin")],
  ],
  [
    "Nobody else is in the channel plan, so nobody would hear it. A read waits for others to come.",
    post,
    [joined("round_robin")],
  ],
  ["The channel plan is full: 2000 words were said in it. Use another one.", post, [joined("round_robin")]],
  ["The channel plan is full: 2000 words were said in it. Use another one.", post, [joined("on_demand")]],
])("%s", (output, ask, before) => {
  expect(replanned(ask, { status: "error", output }, before)).toEqual({ status: "error", output });
});

test("who joins again is told who is there, in the order of their turns", () => {
  const members = ["cat", "bob"].map((directive) => ({ id: `${directive}-1-000000`, directive }));
  const output = JSON.stringify({ channel: "plan", mode: "on_demand", members, status: "joined" });
  expect(replanned(join(), { status: "ok", output }, [joined("on_demand")])).toEqual({
    status: "ok",
    output,
  });
});
