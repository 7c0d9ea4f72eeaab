/** What came of a replay, for people: the first event that differs, what stands there, and what would stand there now. */
import type { NewEvent } from "../../core/event.ts";
import type { Divergence, Replayed } from "../../core/replayed.ts";
import { oneLine, stripControls } from "../../core/text.ts";
import { counted } from "./moment.ts";

const MOST_CHARS = 300;

export function replayText({ events, total, divergences }: Replayed, isWhatIf: boolean): string {
  if (divergences.length === 0) {
    return isWhatIf
      ? `nothing would differ: ${counted(total, "event")}`
      : `replays: ${counted(total, "event")}, identical`;
  }
  const same = isWhatIf || events === 0 ? "" : `${counted(events, "event")} identical, then:\n`;
  return `${same}${divergences.map(divergenceText).join("\n")}`;
}

export function replayHint({ thread_id, events, total, divergences, parted }: Replayed): string {
  if (divergences.length === 0) return "";
  const left = total - events;
  const rest = parted
    ? `Here the paths part: ${left === 1 ? "1 event was" : `${left} events were`} not held against anything.`
    : "It goes on as it did.";
  return `${rest}\n  next  selvage logs ${thread_id}    what happened then`;
}

function divergenceText({ seq, recorded, now, differences, instead }: Divergence): string {
  const head = `seq ${seq}: ${recorded?.type ?? "nothing"}`;
  if (differences.length > 0) {
    return [
      `${head} would say something else`,
      ...differences.flatMap((each) => [
        `  ${each.field}`,
        `    recorded  ${value(each.recorded)}`,
        `    now       ${value(each.now)}`,
      ]),
    ].join("\n");
  }
  const then = recorded ? eventText(recorded) : "the journal ends here";
  return [
    `${head} → ${now ? `would be ${now.type}` : "would not be written"}`,
    `  recorded  ${then}`,
    `  now       ${now ? eventText(now) : (instead ?? "nothing")}`,
  ].join("\n");
}

function eventText(event: NewEvent): string {
  const { type, ...fields } = event;
  const own = Object.entries(fields).filter(([key]) => !["v", "seq", "ts", "thread_id"].includes(key));
  return `${type} ${value(Object.fromEntries(own))}`;
}

function value(given: unknown): string {
  return oneLine(stripControls(JSON.stringify(given) ?? "nothing"), MOST_CHARS);
}
