/**
 * Channels as the registry has them: each thread's line says where it is a member and the number of its last word there,
 * so who is in a channel and whose turn it is follows from the lines of one tree. Looked at inside the transaction.
 *   K1. Numbers of one channel rise by one with each who comes and each post: what was planned on an older state of it
 *       does not land.
 *   K2. In `round_robin` nobody posts out of turn. Who comes knows everybody who is there.
 *   K3. Everybody else in the channel is told in the same commit, once; also of the end of a member.
 */
import type { ChannelMode, Seat } from "./channel.ts";
import { firstInLine } from "./channel.ts";
import type { Event, NewEvent } from "./event.ts";
import type { Request } from "./request.ts";
import type { RowFold } from "./row.ts";
import { ENDS, isTerminal } from "./status.ts";

/** A thread's place in a channel; kept when it leaves, so that no number comes twice. */
export interface Membership {
  readonly name: string;
  readonly mode: ChannelMode;
  readonly last: number;
  readonly left?: true;
}

/** What one further member writes down. */
export type Heard = NewEvent<"channel_heard">;

type Line = Pick<RowFold, "chain_root_id" | "root_id" | "directive" | "status" | "channels">;

export interface ChannelState {
  readonly mode: ChannelMode | undefined;
  /** In the order of their turns. */
  readonly seats: readonly Seat[];
  readonly next: number;
}

/** A channel, from the lines of its tree. */
export function channelState(rows: readonly Line[], name: string): ChannelState {
  const places = rows.flatMap((row) => {
    const found = row.channels.find((each) => each.name === name);
    return found ? [{ row, found }] : [];
  });
  const seated = places.filter(({ row, found }) => !found.left && !isTerminal(row.status));
  const seats = seated
    .map(({ row, found }) => ({ id: row.chain_root_id, directive: row.directive, last: found.last }))
    .sort((left, right) => left.last - right.last);
  const next = 1 + Math.max(0, ...places.map(({ found }) => found.last));
  return { mode: seated[0]?.found.mode, seats, next };
}

export function without(seats: readonly Seat[], id: string): Seat[] {
  return seats.filter((seat) => seat.id !== id);
}

/** K1, K2: whether what a thread is about to write down is still so. */
export function channelFits(
  { chain_root_id: id }: Pick<RowFold, "chain_root_id">,
  event: NewEvent,
  rows: readonly Line[],
): boolean {
  if (event.type !== "channel_joined" && event.type !== "channel_posted") return true;
  const { mode, seats, next } = channelState(rows, event.channel);
  if (event.n !== next) return false;
  if (event.type === "channel_joined") {
    const isMode = mode === undefined || mode === event.mode;
    return isMode && JSON.stringify(without(seats, id)) === JSON.stringify(event.members);
  }
  const isThere = seats.some((seat) => seat.id === id);
  return isThere && (mode !== "round_robin" || firstInLine(seats)?.id === id);
}

/** K3. `row` is the thread's after the event. */
export function heardRequests(
  row: Pick<RowFold, "thread_id" | "chain_root_id" | "root_id" | "directive" | "channels">,
  event: Event,
  inChannels: (rootId: string) => readonly Line[],
): Request[] {
  const told = wordOf(row, event);
  if (told.length === 0) return [];
  const rows = inChannels(row.root_id);
  const { chain_root_id: by, directive } = row;
  return told.flatMap((word) => {
    const { seats, next } = channelState(rows, word.channel);
    // Who goes says nothing: it goes after the last word that there is.
    const said = { type: "channel_heard" as const, from: by, directive, n: next - 1, ...word };
    return without(seats, by).map(({ id }) => ({
      kind: "outcome" as const,
      request_id: `chan_${event.thread_id}_${event.seq}_${word.channel}/${id}`,
      ...{ thread_id: id, by, outcome: said },
    }));
  });
}

type Word = Pick<Heard, "channel" | "what"> & Partial<Pick<Heard, "n" | "text">>;

function wordOf({ channels }: Pick<RowFold, "channels">, event: Event): Word[] {
  switch (event.type) {
    case "channel_joined":
      return [{ channel: event.channel, what: "joined", n: event.n }];
    case "channel_posted":
      return [{ channel: event.channel, what: "posted", n: event.n, text: event.text }];
    case "channel_left":
      return [{ channel: event.channel, what: "left" }];
    default:
      if (!ENDS.includes(event.type)) return [];
      return channels.filter(({ left }) => !left).map(({ name }) => ({ channel: name, what: "ended" }));
  }
}

/** The registry's line after an event. */
export function reduceMemberships(before: readonly Membership[], event: Event): readonly Membership[] {
  switch (event.type) {
    case "channel_joined": {
      const { channel: name, mode, n: last } = event;
      return [...before.filter((each) => each.name !== name), { name, mode, last }];
    }
    case "channel_posted":
      return before.map((each) => (each.name === event.channel ? { ...each, last: event.n } : each));
    case "channel_left":
      return before.map((each) => (each.name === event.channel ? { ...each, left: true as const } : each));
    default:
      return before;
  }
}
