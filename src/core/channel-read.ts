/** What a member of a channel is shown, and how long it waits for that: from its own fold alone. */
import { type Channel, type ChannelMode, type Channels, firstInLine, type Post } from "./channel.ts";
import type { Event, NewEvent } from "./event.ts";
import type { Wait } from "./family.ts";

type ReadWhy = Extract<Event<"wait_finished">["why"], "turn" | "news" | "alone" | "timeout">;

/** Why a read comes back; undefined while it waits. */
export function readEnd({ mode, last, others, unread, met }: Channel, isDue: boolean): ReadWhy | undefined {
  if (others.length === 0) return met ? "alone" : isDue ? "timeout" : undefined;
  const isReady = mode === "round_robin" ? others.every((seat) => seat.last > last) : unread.length > 0;
  if (isReady) return mode === "round_robin" ? "turn" : "news";
  return isDue ? "timeout" : undefined;
}

/** Of one read, in characters: what is cut later would be no JSON any more. The rest comes with the next. */
const LONGEST_READ = 24_000;

interface ReadResult {
  readonly channel: string;
  readonly mode: ChannelMode;
  readonly posts: readonly Post[];
  /** Posts that came and did not fit. */
  readonly more?: number;
  readonly members: readonly string[];
  readonly your_turn?: boolean;
  readonly turn_of?: string;
  readonly note?: string;
  readonly elapsed_seconds: number;
}

interface Reading {
  readonly callId: string;
  readonly name: string;
  readonly why: ReadWhy;
  readonly elapsedSeconds: number;
}

/** What a read hands over; what it hands over is read. */
export function reading(channel: Channel, { callId, name, why, elapsedSeconds }: Reading) {
  const posts = fitting(channel.unread);
  const upto = posts.at(-1)?.n;
  const left = channel.unread.length - posts.length;
  const read: NewEvent<"channel_read">[] =
    upto === undefined ? [] : [{ type: "channel_read", call_id: callId, channel: name, upto }];
  const note = noteOf(channel, why, posts.length);
  const result: ReadResult = {
    ...{ channel: name, mode: channel.mode, posts, ...(left > 0 ? { more: left } : {}) },
    members: channel.others.map(({ id }) => id),
    ...turnOf(channel, why),
    ...(note === undefined ? {} : { note }),
    elapsed_seconds: elapsedSeconds,
  };
  return { result, facts: read };
}

function turnOf({ mode, others }: Channel, why: ReadWhy): Pick<ReadResult, "your_turn" | "turn_of"> {
  if (mode !== "round_robin" || others.length === 0) return {};
  const first = firstInLine(others);
  return why === "turn" ? { your_turn: true } : { your_turn: false, ...(first ? { turn_of: first.id } : {}) };
}

function noteOf({ others, mode }: Channel, why: ReadWhy, posts: number): string | undefined {
  if (why === "alone") return "Nobody else is in the channel any more.";
  if (why !== "timeout") return undefined;
  if (others.length === 0) return "Nobody else has come yet.";
  if (mode === "round_robin") return "Its time is up, and it is the turn of another.";
  return posts === 0 ? "Nothing new." : undefined;
}

function fitting(unread: readonly Post[]): readonly Post[] {
  let chars = 0;
  const count = unread.findIndex(({ text }) => {
    chars += text.length;
    return chars > LONGEST_READ;
  });
  return count < 0 ? unread : unread.slice(0, Math.max(1, count));
}

export interface ChannelEnd {
  readonly why: ReadWhy;
  readonly result: ReadResult;
  readonly facts: readonly NewEvent[];
}

/** How a read that waits ends, from the fold alone; undefined while it goes on. */
export function channelWaitEnd(
  { channels }: { readonly channels: Channels },
  wait: Wait & { readonly channel: string },
  now: number,
  isDue: boolean,
): ChannelEnd | undefined {
  const { channel: name, callId, since } = wait;
  const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
  const why = channel && readEnd(channel, isDue);
  if (!channel || !why) return undefined;
  const elapsedSeconds = Math.max(0, Math.round((now - Date.parse(since)) / 100) / 10);
  return { why, ...reading(channel, { callId: callId ?? "", name, why, elapsedSeconds }) };
}
