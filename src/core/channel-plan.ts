/** What a call of `channel` comes to: facts and a result, or a wait; from the fold and the lines of the tree. */
import { firstInLine } from "./channel.ts";
import type { ChannelInput } from "./channel-input.ts";
import { readEnd, reading } from "./channel-read.ts";
import { type ChannelState, without } from "./channel-registry.ts";
import type { NewEvent } from "./event.ts";
import type { Thread } from "./thread.ts";
import type { ToolOutcome } from "./tool.ts";

export const MOST_MEMBERS = 50;
/** Words of one channel: who comes and what is posted. */
export const MOST_WORDS = 2_000;
export const MOST_CHANNELS = 20;
const PATIENCE_SECONDS = 600;

export interface ChannelPlan {
  readonly events: readonly NewEvent[];
  /** Without one it waits. */
  readonly outcome?: ToolOutcome;
}

interface Asked {
  readonly callId: string;
  readonly ask: ChannelInput;
  readonly now: number;
}

export function planChannel(thread: Thread, asked: Asked, state: ChannelState): ChannelPlan {
  const { action, channel: name } = asked.ask;
  if (action === "join") return join(thread, asked, state);
  if (!Object.hasOwn(thread.channels, name)) {
    return refused(
      `This thread is not in the channel ${name}. Join it first: {"action": "join", "channel": "${name}"}.`,
    );
  }
  if (action === "read") return read(thread, asked);
  if (action === "post") return post(thread, asked, state);
  const left: NewEvent = { type: "channel_left", call_id: asked.callId, channel: name };
  return { events: [left], outcome: said({ channel: name, status: "left" }) };
}

function join({ channels, chainRootId }: Thread, { callId, ask }: Asked, state: ChannelState): ChannelPlan {
  const { channel, mode = state.mode ?? "round_robin" } = ask;
  const members = without(state.seats, chainRootId);
  const there = { channel, mode, members: members.map(({ id, directive }) => ({ id, directive })) };
  if (state.mode !== undefined && state.mode !== mode)
    return refused(`The channel ${channel} is ${state.mode}.`);
  if (Object.hasOwn(channels, channel)) return { events: [], outcome: said({ ...there, status: "joined" }) };
  if (members.length >= MOST_MEMBERS)
    return refused(`The channel ${channel} has ${MOST_MEMBERS} members already.`);
  if (Object.keys(channels).length >= MOST_CHANNELS)
    return refused(`This thread is in ${MOST_CHANNELS} channels already. Leave one first.`);
  if (state.next > MOST_WORDS) return refused(full(channel));
  const joined: NewEvent = { type: "channel_joined", call_id: callId, channel, mode, n: state.next, members };
  return { events: [joined], outcome: said({ ...there, status: "joined" }) };
}

/** Out of turn nothing is posted: what the others say first may change it. */
function post(
  { chainRootId }: Thread,
  { callId, ask }: Asked,
  { seats, mode, next: n }: ChannelState,
): ChannelPlan {
  const { channel, text = "" } = ask;
  const others = without(seats, chainRootId);
  if (others.length === 0)
    return refused(
      `Nobody else is in the channel ${channel}, so nobody would hear it. A read waits for others to come.`,
    );
  const first = firstInLine(seats);
  if (mode === "round_robin" && first && first.id !== chainRootId)
    return refused(
      `It is the turn of ${first.id} in the channel ${channel}. A read waits until it is yours.`,
    );
  if (n > MOST_WORDS) return refused(full(channel));
  const posted: NewEvent = { type: "channel_posted", call_id: callId, channel, n, text };
  const next = mode === "round_robin" ? { turn_of: firstInLine(others)?.id } : {};
  return {
    events: [posted],
    outcome: said({ channel, status: "posted", to: others.map(({ id }) => id), ...next }),
  };
}

function read({ channels }: Thread, { callId, ask, now }: Asked): ChannelPlan {
  const { channel: name } = ask;
  const channel = channels[name];
  if (!channel) return refused(`This thread is not in the channel ${name}.`);
  const { timeout = channel.mode === "round_robin" ? PATIENCE_SECONDS : 0 } = ask;
  const why = readEnd(channel, timeout === 0);
  if (why) {
    const { result, facts } = reading(channel, { callId, name, why, elapsedSeconds: 0 });
    return { events: facts, outcome: said(result) };
  }
  const wait: NewEvent = {
    ...{ type: "wait_started", call_id: callId, thread_ids: channel.others.map(({ id }) => id), require: 0 },
    ...{ fail_fast: false, cancel_siblings_on_failure: false, include_suspended: false },
    until: new Date(now + timeout * 1_000).toISOString(),
    channel: name,
  };
  return { events: [wait] };
}

function full(channel: string): string {
  return `The channel ${channel} is full: ${MOST_WORDS} words were said in it. Use another one.`;
}

function said(result: object): ToolOutcome {
  return { status: "ok", output: JSON.stringify(result) };
}

function refused(output: string): ChannelPlan {
  return { events: [], outcome: { status: "error", output } };
}
