/** Fields of the events with which threads of one tree talk in a channel. */
import * as z from "zod/mini";

const text = z.string();
const count = z.int().check(z.nonnegative());

export const CHANNEL_MODES = ["round_robin", "on_demand"] as const;
const mode = z.enum(CHANNEL_MODES);

/** A member, and the number of its last word: its post, or, before there is one, its coming. */
const seat = z.object({ id: text, directive: text, last: count });
const post = z.object({ n: count, from: text, directive: text, text });

export const CHANNEL_JOINED = z.object({
  call_id: text,
  channel: text,
  mode,
  n: count,
  members: z.array(seat),
});
export const CHANNEL_POSTED = z.object({ call_id: text, channel: text, n: count, text });
export const CHANNEL_LEFT = z.object({ call_id: text, channel: text });
export const CHANNEL_HEARD = z.object({
  channel: text,
  from: text,
  directive: text,
  what: z.enum(["joined", "posted", "left", "ended"]),
  n: count,
  text: z.optional(text),
});
export const CHANNEL_READ = z.object({ call_id: text, channel: text, upto: count });

/** What a thread knows of a channel that it is in, as its successor takes it over. */
export const CHANNELS = z.record(
  text,
  z.object({
    mode,
    since: count,
    last: count,
    others: z.array(seat),
    unread: z.array(post),
    met: z.boolean(),
  }),
);
