/** A failure in a sentence that a person understands (E11): who did what, and what was said. */
import type { Category, Classified, Failure } from "./failure.ts";
import { scrubbed } from "./scrub.ts";

export function failureSentence(failure: Failure, classified: Classified): string {
  const message = scrubbed(failure.message);
  // Says itself who was not reached, or cut off, where and why.
  if (/ was (not reached|cut off in the middle)\b/.test(message) && classified.rule !== "certificate")
    return message;
  const { who, said } = heard(message);
  const deed = deedOf(failure, classified);
  if (deed === undefined) return message === "" ? `${who} failed and gave no reason` : message;
  return said === "" ? `${who} ${deed}` : `${who} ${deed}: ${said}`;
}

interface Heard {
  readonly who: string;
  readonly said: string;
}

/** Adapters begin with the provider's name; what they add to it is said by the deed. */
const OPENINGS = [
  /^(?<who>[\w.-]+|the provider) (?:answered(?: with)?(?: status)?|broke off with) (?<said>.*)$/s,
  /^(?<who>[a-z0-9][a-z0-9._-]*) was not reached(?: at)? (?<said>.*)$/s,
  /^(?<who>[a-z0-9][a-z0-9._-]*): (?<said>.*)$/s,
];

function heard(message: string): Heard {
  const opening = OPENINGS.map((pattern) => pattern.exec(message)?.groups).find((groups) => groups);
  const who = opening?.["who"] ?? "the provider";
  return { who: who === "the provider" ? "The provider" : who, said: opening?.["said"] ?? message };
}

/** What the provider did; undefined when the message alone has to say it. */
function deedOf({ status, type, message }: Failure, { rule, category }: Classified): string | undefined {
  if (rule === "unknown") return undefined;
  if (category === "transient" && (status === 529 || /overloaded/i.test(`${type} ${message.slice(0, 600)}`)))
    return "is overloaded";
  return DEEDS[rule] ?? USUAL[category];
}

const NO_MONEY = "says that the money or the quota of this account is used up";
const NO_KEY = "refused the key";
const NO_MODEL = "does not know this model";
const NOT_THIS = "refused the request for what it contains";
const TROUBLE = "has trouble of its own";
const NOT_REACHED = "was not reached";

/** By rule, where its category says too little. */
const DEEDS: Readonly<Record<string, string>> = {
  misuse: "could not be asked",
  "money-type": NO_MONEY,
  "money-status": NO_MONEY,
  "money-text": NO_MONEY,
  "auth-type": NO_KEY,
  "auth-status": NO_KEY,
  "auth-text": NO_KEY,
  "auth-words": NO_KEY,
  certificate: "was not reached, because its certificate is not trusted",
  connection: NOT_REACHED,
  "connection-text": NOT_REACHED,
  "stream-cut": "broke off its answer",
  stalled: "fell silent",
  "model-type": NO_MODEL,
  "model-text": NO_MODEL,
  "content-type": NOT_THIS,
  "content-text": NOT_THIS,
  "address-text": "did not find what was asked for, so its address may be wrong",
  "openai-404": "did not find the model for the moment",
  "status-transient": TROUBLE,
  "status-edge": TROUBLE,
  "server-type": TROUBLE,
  "server-text": TROUBLE,
};

const USUAL: Readonly<Record<Category, string>> = {
  transient: "failed for the moment",
  rate_limited: "limits how often it may be asked",
  quota: "says that the quota is used up",
  limit_hit: "reached a limit",
  budget: "would go over the budget",
  permanent: "refused the request",
  cancelled: "was told to stop",
  context_overflow: "cannot take a conversation this long",
};
