/**
 * A channel as one of its members knows it: a fold of its own journal. What others do there it is told once, in the
 * order in which it happened, from the moment on in which it came; so what it knows is always a beginning of the truth.
 *   Members stand in a queue, by the number of their last word. Whoever comes or posts goes to its end; in
 *   `round_robin` the first of it has the turn, and nobody but itself can take that from it.
 */
import type { Event } from "./event.ts";

export type ChannelMode = "round_robin" | "on_demand";

export interface Seat {
  readonly id: string;
  readonly directive: string;
  readonly last: number;
}

export interface Post {
  readonly n: number;
  readonly from: string;
  readonly directive: string;
  readonly text: string;
}

export interface Channel {
  readonly mode: ChannelMode;
  /** The number of its coming: what it is told late of a time before that, when it was here once, is past. */
  readonly since: number;
  /** The number of its own last word. */
  readonly last: number;
  readonly others: readonly Seat[];
  /** What came since it last read. */
  readonly unread: readonly Post[];
  /** Somebody else has been there: who is alone now is left, and not early. */
  readonly met: boolean;
}

export type Channels = Readonly<Record<string, Channel>>;

export function reduceChannels(channels: Channels, event: Event): Channels {
  switch (event.type) {
    case "channel_joined": {
      const { mode, n: last, members: others } = event;
      return {
        ...channels,
        [event.channel]: { mode, since: last, last, others, unread: [], met: others.length > 0 },
      };
    }
    case "channel_posted":
      return changed(channels, event, () => ({ last: event.n }));
    case "channel_left":
      return Object.fromEntries(Object.entries(channels).filter(([name]) => name !== event.channel));
    case "channel_read":
      return changed(channels, event, ({ unread }) => ({ unread: unread.filter(({ n }) => n > event.upto) }));
    case "channel_heard":
      return changed(channels, event, (channel) => heard(channel, event));
    default:
      return channels;
  }
}

/** Of a channel that it is not in, or not in any more, it takes no note. */
function changed(
  channels: Channels,
  { channel: name }: { readonly channel: string },
  change: (channel: Channel) => Partial<Channel>,
): Channels {
  const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
  return channel ? { ...channels, [name]: { ...channel, ...change(channel) } } : channels;
}

function heard({ since, others, unread }: Channel, event: Event<"channel_heard">): Partial<Channel> {
  const { from: id, directive, what, n, text = "" } = event;
  if (n < since) return {};
  const rest = others.filter((seat) => seat.id !== id);
  if (what === "left" || what === "ended") return { others: rest };
  const came = { others: [...rest, { id, directive, last: n }], met: true };
  return what === "joined" ? came : { ...came, unread: [...unread, { n, from: id, directive, text }] };
}

/** Who has the turn: the one that has said nothing for longest. */
export function firstInLine(seats: readonly Seat[]): Seat | undefined {
  return seats.reduce<Seat | undefined>(
    (first, seat) => (first && first.last < seat.last ? first : seat),
    undefined,
  );
}
