/**
 * What people read in a chat when something is not as it should be (UX d.1, d.4, d.5; E11): who speaks is "I", no jargon, whether
 * the message is safe, and one next step. Nothing here has seen a stack; sentences of others pass `scrubbed`. Secrets of
 * this machine are masked by whoever posts, at the one door to the platform.
 */
import type { ChatDeed, People } from "./chat-access.ts";
import type { ChatButton, ChatText } from "./chat-platform.ts";
import { bytes, duration } from "./moment.ts";
import { scrubbed } from "./scrub.ts";
import { oneLine } from "./text.ts";

/** Why a prompt was not answered. */
export type ChatError =
  | {
      readonly class: "provider";
      readonly tries: number;
      readonly overMs: number;
      readonly status?: number | undefined;
      /** It goes on by itself then. */
      readonly resumesAt?: string | undefined;
    }
  | { readonly class: "tool_timeout"; readonly tool: string; readonly seconds: number }
  /** `startsFresh`: another thread has taken the place of the one that could not be read. */
  | { readonly class: "history"; readonly threadId: string; readonly startsFresh: boolean }
  /** `waits`: the thread reads nothing more until it is told to go on. */
  | {
      readonly class: "unknown";
      readonly sentence: string;
      readonly reference: string;
      readonly waits?: boolean;
    }
  /** No thread has the message: there is nothing to try again, and nothing to look up. */
  | { readonly class: "not_begun"; readonly sentence: string }
  | { readonly class: "not_permitted"; readonly tool: string };

export function errorText(error: ChatError): ChatText {
  const [first, second, buttons] = errorLines(error);
  return { text: `${first}\n${second}`, ...(buttons ? { buttons } : {}) };
}

const TRY_AGAIN: readonly ChatButton[] = [{ label: "Try again", action: "retry", value: "last" }];

function errorLines(error: ChatError): [first: string, second: string, buttons?: readonly ChatButton[]] {
  switch (error.class) {
    case "provider":
      return [
        "I'm having trouble reaching my AI provider. Try again in a moment.",
        `${triedText(error)} ${safeText(error.resumesAt)}`,
      ];
    case "tool_timeout":
      return [
        "A command I was running timed out. Let me know if you'd like me to try again.",
        `${oneLine(error.tool, 60)} was stopped after ${error.seconds} s. Nothing else was lost.`,
        TRY_AGAIN,
      ];
    case "history":
      return [
        `I had trouble loading our conversation history. ${error.startsFresh ? "Starting fresh for this thread." : "I do not go on before somebody has looked at it."}`,
        `The old thread is kept as ${oneLine(error.threadId, 160)}; /log sends it.`,
      ];
    case "unknown":
      return [
        `Something went wrong: ${sentence(error.sentence)} Try sending your message again.`,
        `Reference ${oneLine(error.reference, 40)}. ${error.waits ? safeText(undefined) : "/log has the details."}`,
      ];
    case "not_begun":
      return [
        `Something went wrong: ${sentence(error.sentence)} Try sending your message again.`,
        "It was not kept, and whoever runs me knows why.",
      ];
    case "not_permitted":
      return [
        `I may not use ${oneLine(error.tool, 60)} here.`,
        "An admin can add it in the directive. Nothing was lost.",
      ];
  }
}

/** `Tried 3 times over 14 s (503).` */
function triedText({ tries, overMs, status }: ChatError & { class: "provider" }): string {
  const times = tries === 1 ? "once" : `${tries} times over ${spaced(overMs)}`;
  return `Tried ${times}${status === undefined ? "" : ` (${status})`}.`;
}

function safeText(resumesAt: string | undefined): string {
  if (resumesAt === undefined) return "Your message is safe: /retry runs it again.";
  return `Your message is safe: it goes on at ${shortUtc(resumesAt)}, /retry runs it now.`;
}

/** One sentence with one end. */
function sentence(text: string): string {
  const clean = scrubbed(text, 300).replace(/[\s.!?…]+$/, "");
  return clean === "" ? "nobody said what." : `${clean}.`;
}

/** `38 s`, `4 m 12 s`: as on every surface, with air for prose. */
export function spaced(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000)) * 1000;
  const text = whole < 10_000 ? `${whole / 1000}s` : duration(whole);
  return text.replace(/(\d)([ms])/g, "$1 $2");
}

/** `10:09 UTC`, for who may read it anywhere; the day when it is not the reader's to know. */
export function shortUtc(ts: string): string {
  const at = Date.parse(ts);
  if (Number.isNaN(at)) return oneLine(ts, 40);
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

export const ALREADY_WORKING = "I am already working on the first version, send the change as a new message.";
export const RESTARTED =
  "! I was restarted while working on this. Finished steps are kept; /retry goes on from there.";
export const UNDELIVERED = "✗ I could not deliver the answer. /status shows it.";
/** After a crash in the middle of a post, where nobody can look whether it is there. */
export const UNSURE = "! I was restarted while I sent the answer. If you do not see it, /status shows it.";

/** `report.exe (84.0 MB) was not read: limit is 25 MB and this type is off.` */
export function refusedFile(file: {
  readonly name: string;
  readonly bytes?: number | undefined;
  readonly type: string;
  readonly maxMb?: number | undefined;
  readonly isTypeOff: boolean;
  /** Another reason than its type and its size. */
  readonly why?: string | undefined;
}): string {
  const size = file.bytes === undefined ? "" : ` (${bytes(file.bytes)})`;
  const why = [
    ...(file.maxMb === undefined ? [] : [`limit is ${file.maxMb} MB`]),
    ...(file.isTypeOff ? ["this type is off"] : []),
    ...(file.why === undefined ? [] : [file.why]),
  ];
  return `${oneLine(file.name, 80)}${size} was not read: ${why.join(" and ") || "it could not be loaded"}.`;
}

const DEEDS: Record<ChatDeed, string> = {
  talk: "I may not talk with you here.",
  command: "I may not take commands from you here.",
  approve: "You may not decide this here.",
};

/** Names nobody who would be called by it: principals are no mentions. */
export function notAllowed(deed: ChatDeed, people: People): string {
  if (people === "everybody") return DEEDS[deed];
  const named = people.slice(0, 3).map((principal) => oneLine(principal, 60));
  const others = people.length > named.length ? " and others" : "";
  const next =
    named.length === 0
      ? "Nobody is named for it yet: that is done in chat.yaml."
      : `Ask ${named.join(", ")}${others}.`;
  return `${DEEDS[deed]} ${next}`;
}
