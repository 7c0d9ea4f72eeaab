/** Names of things: thread ids (F6) and call keys (D6). Pure: randomness, time and hashing are handed in. */

declare const brand: unique symbol;
export type ThreadId = string & { readonly [brand]: "thread" };
export type CallId = string & { readonly [brand]: "call" };

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SEGMENT = /^[a-z0-9_][a-z0-9._-]*$/;
export const MAX_ID_LENGTH = 160;

/** Why `text` is no thread id or directive name, in words; undefined when it is one. */
export function idProblem(text: string): string | undefined {
  if (text.length === 0) return "it is empty";
  if (text.length > MAX_ID_LENGTH) return `it is longer than ${MAX_ID_LENGTH} characters`;
  for (const segment of text.split("/")) {
    if (segment === "") return "it has an empty segment between slashes";
    if (segment.startsWith(".")) return "a segment starts with a dot";
    if (segment.startsWith("-")) return "a segment starts with a dash";
    if (!SEGMENT.test(segment))
      return "only lower-case letters, digits and . _ - are allowed, with / between segments";
  }
  return undefined;
}

export function isThreadId(text: string): text is ThreadId {
  return idProblem(text) === undefined;
}

/** `<directive path>-<epoch seconds>-<6 random base32>` */
export function threadId(directive: string, epochMs: number, random: Uint8Array): ThreadId {
  const tail = Array.from(random.subarray(0, 6), (byte) => ALPHABET[byte & 31]).join("");
  return `${directive}-${Math.floor(epochMs / 1000)}-${tail}` as ThreadId;
}

export function randomName(random: Uint8Array): string {
  return Array.from(random, (byte) => ALPHABET[byte & 31]).join("");
}

export interface CallPlace {
  readonly chainRootId: string;
  readonly turn: number;
  readonly index: number;
  readonly input: unknown;
}

/** Our own key of a call: the model's ids may be empty, repeated or different after a retry (B8). */
export function callKey(place: CallPlace, sha256: (text: string) => string): CallId {
  const digest = sha256(canonical(place.input));
  return `call_${sha256(`${place.chainRootId}\n${place.turn}\n${place.index}\n${digest}`).slice(0, 24)}` as CallId;
}

/** JSON with sorted keys, so that equal values have equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
