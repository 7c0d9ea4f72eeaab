/** What of an event a person would search: words of people, models and tools. Names, numbers and books are left out. */
import type { Event, EventType } from "./event.ts";

/** What somebody may look for with `--type`, beside the types of events. */
export const KINDS = ["text", "tool", "error", "question", "result"] as const;
type Kind = (typeof KINDS)[number];

export interface Field {
  /** Its place in the event: `output`, `input.command`. */
  readonly name: string;
  readonly text: string;
  readonly kinds: readonly Kind[];
}

/** Each field is one text, or one number, of the event's JSON: a store may look for it there (`Matcher.mayBeIn`). */
type Reader<T extends EventType> = (event: Event<T>) => readonly Field[];

const READERS: { readonly [T in EventType]?: Reader<T> } = {
  cognition_in: ({ text }) => [field("text", text, "text")],
  message_received: ({ text }) => [field("text", text, "text")],
  cognition_out: ({ content }) => content.flatMap(blockFields),
  // Of what was closed before a call, text stands in the answer once more; everything else only here.
  tool_call_start: ({ input, preceding }) => [
    ...preceding.flatMap(({ block }) => (block.type === "text" ? [] : blockFields(block))),
    ...leaves("input", input, "tool"),
  ],
  tool_call_result: ({ output, status }) => [
    field("output", output, "tool", ...(status === "ok" ? [] : ["error" as const])),
  ],
  error_classified: ({ error }) => [field("error", error, "error")],
  cancel_requested: ({ reason }) => [field("reason", reason, "text")],
  stop_requested: ({ reason }) => leaves("reason", reason, "text"),
  hook_matched: ({ message, problem }) => [
    ...leaves("message", message, "text"),
    ...leaves("problem", problem, "error"),
  ],
  approval_requested: ({ prompt }) => [field("prompt", prompt, "question")],
  approval_decided: ({ message }) => leaves("message", message, "question"),
  child_thread_completed: ({ text, outputs }) => [
    field("text", text, "result"),
    ...leaves("outputs", outputs, "result"),
  ],
  child_thread_failed: ({ error, text }) => [
    field("error", error, "error", "result"),
    field("text", text, "result"),
  ],
  thread_completed: ({ text, outputs }) => [
    field("text", text, "result"),
    ...leaves("outputs", outputs, "result"),
  ],
  thread_failed: ({ message }) => [field("message", message, "error", "result")],
  thread_cancelled: ({ reason }) => [field("reason", reason, "result")],
};

/** What of an event itself is read above; of everything that stands beside it, nothing is searched. */
const FIELDS: ReadonlySet<string> = new Set([
  ...["text", "content", "input", "preceding", "output", "error", "reason", "message", "problem", "prompt"],
  "outputs",
]);

export function isSearchedField(name: string): boolean {
  return FIELDS.has(name);
}

export const SEARCHED_TYPES = Object.keys(READERS) as readonly EventType[];

/** What is looked at: kinds and types of events, each of which is enough; everything when there are none. */
export type About = readonly string[];

export function searchedTypes(about: About): readonly EventType[] {
  const isKind = about.some((word) => (KINDS as readonly string[]).includes(word));
  return about.length === 0 || isKind
    ? SEARCHED_TYPES
    : SEARCHED_TYPES.filter((type) => about.includes(type));
}

/** Throws when the event is not what its type says: what is damaged cannot be read. */
export function fieldsOf(event: Event, about: About): readonly Field[] {
  const read = READERS[event.type] as Reader<EventType> | undefined;
  const fields = read?.(event) ?? [];
  if (about.length === 0 || about.includes(event.type)) return fields;
  return fields.filter(({ kinds }) => kinds.some((kind) => about.includes(kind)));
}

function field(name: string, text: string, ...kinds: Kind[]): Field {
  if (typeof text !== "string") throw new TypeError(`${name} is no text`);
  return { name, text, kinds };
}

function blockFields(block: Event<"cognition_out">["content"][number]): readonly Field[] {
  switch (block.type) {
    case "text":
      return [field("text", block.text, "text")];
    case "reasoning":
      return [field("reasoning", block.text, "text")];
    case "call":
      return leaves("input", block.input, "tool");
    case "journaled":
      return [];
  }
}

/** Texts and numbers at the ends of a value, with the way to them. */
function leaves(name: string, value: unknown, kind: Kind): readonly Field[] {
  if (typeof value === "string") return [field(name, value, kind)];
  if (typeof value === "number") return [field(name, String(value), kind)];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => leaves(`${name}.${key}`, inside, kind));
}
