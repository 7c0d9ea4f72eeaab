/**
 * Commands of a chat (UX d.3). A command is a whole message: what stands inside a sentence, or has more after it than
 * the command takes, is never carried out on a guess.
 */
import { closest } from "./closest.ts";
import { parseDollars } from "./money.ts";
import { oneLine } from "./text.ts";

const BARE = ["status", "retry", "cost", "new", "log", "help"] as const;
const NAMES = [...BARE, "cancel", "approve", "deny", "resume"] as const;
type Name = (typeof NAMES)[number];

export type ChatCommand =
  | { readonly name: (typeof BARE)[number] }
  | { readonly name: "cancel"; readonly reason?: string }
  /** Without an id: the only one that is open. `amount`: of whatever is asked for. */
  | { readonly name: "approve"; readonly approval?: string; readonly amount?: string }
  | { readonly name: "deny"; readonly approval?: string; readonly note?: string }
  | { readonly name: "resume"; readonly text?: string }
  /** Only buttons say these. */
  | { readonly name: "stop_retry" }
  | { readonly name: "ask_amount"; readonly approval: string };

/** What was read: a command, or why it is none though it looks like one. */
export type CommandRead = { readonly command: ChatCommand } | { readonly unclear: string };

const SLASHED = /^\/([a-z_]{1,20})(?:@[\w-]{1,64})?(?:\s+([\s\S]*))?$/i;

/** Undefined: it is no command. */
export function commandIn(text: string, isMentioned: boolean): CommandRead | undefined {
  const [, word, rest = ""] = SLASHED.exec(text) ?? [];
  if (word !== undefined) return slashed(word.toLowerCase(), rest.trim());
  if (!isMentioned) return undefined;
  const name = nameIn(text.toLowerCase().replace(/[.!]$/, ""));
  return name && { command: { name } };
}

function slashed(word: string, rest: string): CommandRead | undefined {
  const name = nameIn(word);
  if (name) return withRest(name, rest);
  // `/etc is full` is something to talk about; `/statsu` is not.
  const [meant] = closest(word, NAMES, 1);
  return meant === undefined ? undefined : { unclear: `I know no /${word}. Did you mean /${meant}?` };
}

function nameIn(word: string): Name | undefined {
  return NAMES.find((name) => name === word);
}

function withRest(name: Name, rest: string): CommandRead {
  switch (name) {
    case "cancel":
      return { command: { name, ...(rest ? { reason: oneLine(rest, 500) } : {}) } };
    case "resume":
      return { command: { name, ...(rest ? { text: rest } : {}) } };
    case "approve":
      return approval(rest);
    case "deny":
      return denial(rest);
    default:
      if (rest === "") return { command: { name } };
      return {
        unclear: `/${name} takes nothing more. Send it alone, or leave out the slash to say it to me.`,
      };
  }
}

/** `ap_…` as it is written down, `ap-…` as people type it; the beginning of one will do. */
const APPROVAL = /^ap[-_][a-z0-9]{1,40}$/i;

export function approvalIn(word: string): string | undefined {
  return APPROVAL.test(word) ? word.toLowerCase().replace("-", "_") : undefined;
}

function amountIn(word: string): string | undefined {
  const bare = word.replace(/^\$/, "");
  return (parseDollars(bare) ?? 0) > 0 ? bare : undefined;
}

function approval(rest: string): CommandRead {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  const ids = words.flatMap((word) => approvalIn(word) ?? []);
  const amounts = words.flatMap((word) => amountIn(word) ?? []);
  const isClear = ids.length <= 1 && amounts.length <= 1 && ids.length + amounts.length === words.length;
  if (!isClear)
    return {
      unclear: "Nothing was approved. It is written as /approve, /approve ap_3f or /approve ap_3f 1.60.",
    };
  const [id] = ids;
  const [amount] = amounts;
  return { command: { name: "approve", ...(id ? { approval: id } : {}), ...(amount ? { amount } : {}) } };
}

function denial(rest: string): CommandRead {
  const [first = "", ...others] = rest.split(/\s+/);
  const id = approvalIn(first);
  const note = oneLine(id ? others.join(" ") : rest, 500);
  return { command: { name: "deny", ...(id ? { approval: id } : {}), ...(note ? { note } : {}) } };
}
