/** A provider that keeps its own invoice: what it would charge for every request that it accepted. */
import type { Seen, Turn } from "../provider/stand-in.ts";
import { anthropic } from "../provider/wire.ts";

/** Nano-dollars a token, as the provider's price list has them. */
const INPUT = 3_000;
const OUTPUT = 15_000;

export interface Reported {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
}

export interface Entry {
  /** The thread that asked. */
  readonly thread: string;
  readonly amount: number;
  readonly total: number;
}

/** Numbers from 0 to 1 that a seed decides. */
export function chance(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class Invoice {
  readonly entries: Entry[] = [];

  get total(): number {
    return this.entries.at(-1)?.total ?? 0;
  }

  /** Charged from the moment it was accepted, whether or not anybody is there to hear the answer. */
  charge(thread: string, { input, output }: { readonly input: number; readonly output: number }): void {
    const amount = input * INPUT + output * OUTPUT;
    this.entries.push({ thread, amount, total: this.total + amount });
  }
}

/** What the first message of a conversation says, up to its first blank. */
export function threadOf({ body }: Seen): string {
  const [first] = body.messages;
  const text = typeof first.content === "string" ? first.content : first.content[0].text;
  return String(text).split(" ")[0] ?? "";
}

export function answersIn({ body }: Seen): number {
  return body.messages.filter(({ role }: { role: string }) => role === "assistant").length;
}

/** About four bytes a token: less than anybody who counts upwards expects. */
export function inputOf({ text }: Seen): number {
  return Math.floor(text.length / 4);
}

export interface Answer {
  /** Whether it calls a tool: then it is not the last one. */
  readonly calls: boolean;
  readonly first: Reported;
  readonly last: Reported;
  readonly pauseMs: number;
}

/** Answers in two halves, with a pause between them that a kill may fall into. */
export async function answer(
  { response, seen }: Turn,
  { calls, first, last, pauseMs }: Answer,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(anthropic.start(first) + anthropic.text(0, "Well, "));
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  if (response.destroyed) return;
  const call = calls ? anthropic.call(1, { id: "c", name: "look", json: `{"n":${answersIn(seen)}}` }) : "";
  response.end(call + anthropic.stop(calls ? "tool_use" : "end_turn", last));
}
