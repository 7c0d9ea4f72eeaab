/** What the members of channels heard, against what was said: every word once, from their coming on. */
import type { Event } from "../core/event.ts";

/** Of one member, over all threads of its chain: sentences for words that it missed or heard twice. */
export function channelGaps(events: readonly Event[]): string[] {
  const broken: string[] = [];
  const words = new Map<string, number[]>();
  const close = (channel: string) => {
    const numbers = (words.get(channel) ?? []).toSorted((left, right) => left - right);
    const from = numbers[0] ?? 0;
    if (numbers.some((n, at) => n !== from + at))
      broken.push(`in the channel ${channel} it heard ${numbers.join(" ")}`);
    words.delete(channel);
  };
  for (const event of events) {
    if (event.type === "channel_joined") words.set(event.channel, [event.n]);
    else if (event.type === "channel_posted") words.get(event.channel)?.push(event.n);
    else if (event.type === "channel_left") close(event.channel);
    else if (event.type === "channel_heard" && (event.what === "joined" || event.what === "posted"))
      words.get(event.channel)?.push(event.n);
  }
  for (const channel of [...words.keys()]) close(channel);
  return broken;
}
