/**
 * The conversation that a full thread hands on (X2): people's words, notes on what is left out, and the last exchanges
 * that fit. It is cut between exchanges only, so no call is ever without its result.
 */
import { charsOf } from "./context.ts";
import type { Message } from "./message.ts";
import { summaryMessage } from "./view.ts";

export interface HandOffNeeds {
  /** Undefined: nobody could make one. What was noted before is kept then, and more is carried over. */
  readonly summary: string | undefined;
  /** Of notes and last exchanges together. */
  readonly ceilingTokens: number;
  readonly tokensIn: (chars: number) => number;
  /** What the model is shown of one result. */
  readonly shownChars?: number;
}

export interface HandedOn {
  readonly conversation: Message[];
  readonly summaryTokens: number;
  readonly trailing: number;
}

const NO_NOTES = "No notes could be made on what is left out.";
const UNDERSTOOD: Message = {
  role: "assistant",
  blocks: [{ type: "text", text: "Understood. Continuing." }],
};
const GO_ON = { role: "user", text: "Continue executing the directive.", origin: "runtime" } as const;

export function handOn(messages: readonly Message[], needs: HandOffNeeds): HandedOn {
  const { summary, ceilingTokens, tokensIn } = needs;
  const notes =
    summary === undefined ? (earlierNotes(messages) ?? summaryMessage(NO_NOTES)) : summaryMessage(summary);
  const summaryTokens = tokensIn(charsOf(notes));
  // What it was asked to do stands first, whatever else fits.
  const answered = messages.findIndex(({ role }) => role !== "user");
  const asked = answered < 0 ? messages.length : answered;
  const from = Math.max(asked, cutAt(messages, ceilingTokens - summaryTokens, needs));
  const trailing = messages.slice(from).filter((said) => !isOurs(said));
  const words = messages.slice(0, from).filter((said) => said.role === "user" && !isOurs(said));
  // Where the last exchanges begin with an answer, the notes are the words before it.
  const answer = trailing[0]?.role === "assistant" ? [] : [UNDERSTOOD];
  return {
    conversation: [...words, notes, ...answer, ...trailing, GO_ON],
    summaryTokens,
    trailing: trailing.length,
  };
}

/** Where the last exchanges begin that fit: at a person's words, or at an answer with all its results behind it. */
function cutAt(
  messages: readonly Message[],
  tokens: number,
  { tokensIn, shownChars }: Pick<HandOffNeeds, "tokensIn" | "shownChars">,
): number {
  let from = messages.length;
  let used = 0;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const said = messages[at];
    if (!said) continue;
    used += tokensIn(charsOf(said, shownChars));
    if (used > tokens) break;
    if (said.role !== "tool") from = at;
  }
  return from;
}

function earlierNotes(messages: readonly Message[]): Message | undefined {
  return messages.findLast(
    (said) => said.role === "user" && said.origin === "runtime" && said.text !== GO_ON.text,
  );
}

/** What we said ourselves is said anew, also in the model's place: no answer of its own is without a turn. */
function isOurs(said: Message): boolean {
  return said.role === "user" ? said.origin === "runtime" : said.turn === undefined;
}
