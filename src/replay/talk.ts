/**
 * Channels of a thread that is played again. Who else was in one, and whose turn it was, stood in the lines of others: as
 * far as it mattered, it is told by what the call came to.
 */
import type { ChannelMode } from "../core/channel.ts";
import { CHANNEL_TOOL } from "../core/channel-input.ts";
import { MOST_MEMBERS, MOST_WORDS } from "../core/channel-plan.ts";
import type { Event } from "../core/event.ts";
import type { ThreadRow } from "../core/row.ts";
import type { MemoryDisk } from "../store/stores/memory.ts";
import type { Tape } from "./tape.ts";

/** A line of somebody else, in the one channel that is asked about. */
interface Line {
  readonly id: string;
  readonly directive: string;
  readonly last: number;
  /** It only says how far the numbers had come. */
  readonly left?: true;
}

interface Talk {
  readonly action?: unknown;
  readonly channel?: unknown;
  readonly mode?: unknown;
}

/** Puts the others into the registry, for the plan of the next call and for the commit of it. */
export function seatOthers({ rows }: MemoryDisk, tape: Tape): void {
  for (const key of rows.keys()) if (key.startsWith(SEAT)) rows.delete(key);
  const own = rows.get(tape.threadId);
  const start = tape.coming("tool_call_start", ({ tool }) => tool === CHANNEL_TOOL);
  if (!own || !start) return;
  const { channel, mode } = start.input as Talk;
  const name = String(channel);
  const fact = factOf(tape, start);
  const said = fact?.type === "channel_joined" ? fact.mode : mode;
  const kept = tape.thread.channels[name]?.mode;
  const lines = othersThen(tape, start, fact);
  const result = tape.ofCall("tool_call_result", start.call_id);
  const told = /^The channel \S+ is (round_robin|on_demand)\.$/.exec(result?.output ?? "")?.[1];
  for (const line of lines) {
    const place = { name, mode: (told ?? kept ?? said ?? "round_robin") as ChannelMode, last: line.last };
    rows.set(`${SEAT}${line.id}`, lineOf(own, line, place));
  }
}

/** No thread has such a name: those who are told of something are not found, for they do not run here. */
const SEAT = "seat ";

function lineOf(
  own: ThreadRow,
  { id, directive, left }: Line,
  place: ThreadRow["channels"][number],
): ThreadRow {
  const nobody = { parent_id: null, continuation_of: null, continuation_thread_id: null, owner: null };
  const known = { thread_id: `${SEAT}${id}`, chain_root_id: id, directive, status: "running" as const };
  return { ...own, ...nobody, ...known, channels: [left ? { ...place, left } : place] };
}

type Fact = Event<"channel_joined" | "channel_posted">;

/** What the call wrote down in the channel, beside its start and its result. */
function factOf(tape: Tape, { call_id }: Event<"tool_call_start">): Fact | undefined {
  const fits = (event: Fact) => event.call_id === call_id;
  return tape.coming("channel_joined", fits) ?? tape.coming("channel_posted", fits);
}

function othersThen(tape: Tape, start: Event<"tool_call_start">, fact: Fact | undefined): Line[] {
  const result = tape.ofCall("tool_call_result", start.call_id);
  if (fact?.type === "channel_joined") return [...fact.members, numbered(fact.n)];
  const { to = [], members = [] } = parsed(result) as { to?: string[]; members?: { id: string }[] };
  // In the order of their turns, and all of them after the one that posts.
  if (fact) return to.map((id, at) => ({ id, directive: "", last: fact.n - to.length + at }));
  if (result?.status === "ok") {
    const ids = (start.input as Talk).action === "join" ? members : [];
    return ids.map((member, at) => ({ directive: "", ...member, last: at + 1 }));
  }
  return whoRefused(result?.output ?? "");
}

/** Nobody sits there: so far the numbers had come. */
function numbered(next: number): Line {
  return { id: "", directive: "", last: next - 1, left: true };
}

/** Who must have been there for these words. */
function whoRefused(words: string): Line[] {
  const [, first] = /^It is the turn of (\S+) in the channel/.exec(words) ?? [];
  if (first !== undefined) return [{ id: first, directive: "", last: 0 }];
  const somebody = (at: number): Line => ({ id: `somebody ${at}`, directive: "", last: at });
  if (words.includes(" members already."))
    return Array.from({ length: MOST_MEMBERS }, (_, at) => somebody(at));
  if (words.includes(" is full: ")) return [somebody(MOST_WORDS)];
  return / is (round_robin|on_demand)\.$/.test(words) ? [somebody(1)] : [];
}

function parsed(result: Event<"tool_call_result"> | undefined): object {
  if (result?.status !== "ok") return {};
  return JSON.parse(result.output) as object;
}
