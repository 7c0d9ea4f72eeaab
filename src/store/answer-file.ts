/** The answer of a person to a question, as a file: `{approved, message?, new_limits?, operator_token}` (L4, L5). */
import { closest } from "../core/closest.ts";
import { type Limits, parseLimits } from "../core/limit.ts";
import { type InboxText, isObject, MAX_INBOX_BYTES, parseObject, readInboxFile } from "./inbox-file.ts";

export interface Answer {
  readonly approved: boolean;
  readonly message?: string | undefined;
  readonly limits?: Limits | undefined;
  /** Why it counts for nothing. */
  readonly problem?: string | undefined;
}

/** Knows the token of whoever may answer. Anything but true is a no, and a text says why. */
export type IsOperator = (token: string) => boolean | string;

const FIELDS = ["approved", "message", "new_limits", "operator_token"];
const TOKEN_IN_TEXT = /("operator_token"\s*:\s*)"(?:[^"\\]|\\.)*"?/g;

/** Undefined when the file is gone: another host was done with it first. */
export function readAnswer(path: string, isOperator: IsOperator): Answer | undefined {
  const read = readInboxFile(path);
  if ("missing" in read) return undefined;
  const answer = "problem" in read ? read : judge(read, isOperator);
  return "problem" in answer ? { approved: false, problem: answer.problem } : answer;
}

/** What may be kept of a refused answer: a token that lies about would let others answer. */
export function withoutToken(path: string): string | undefined {
  const read = readInboxFile(path);
  if (!("text" in read)) return undefined;
  const fields = read.isWhole ? parseObject(read.text) : undefined;
  if (!fields) return read.text.replace(TOKEN_IN_TEXT, '$1"(removed)"');
  const { operator_token: _, ...rest } = fields;
  return `${JSON.stringify(rest, null, 2)}\n`;
}

function judge(read: InboxText, isOperator: IsOperator): Answer | { problem: string } {
  if (!read.isWhole) return { problem: `it is larger than ${MAX_INBOX_BYTES} bytes` };
  const fields = parseObject(read.text);
  if (!fields) return { problem: "it is not a JSON object" };
  const { approved, message, new_limits: asked, operator_token: token } = fields;
  if (typeof token !== "string") return { problem: "it has no operator_token" };
  const said = isOperator(token);
  if (said !== true) return { problem: said || "its operator_token is not the one of this user" };
  const misspelt = misspeltField(fields);
  if (misspelt) return { problem: misspelt };
  if (typeof approved !== "boolean") return { problem: "approved must be true or false" };
  if (message != null && typeof message !== "string") return { problem: "message must be a text" };
  if (asked != null && !isObject(asked))
    return { problem: 'new_limits must be an object such as {"turns": 40}' };
  const parsed = parseLimits(asked ?? {});
  if ("problem" in parsed) return parsed;
  const limits = Object.keys(parsed.limits).length > 0 ? parsed.limits : undefined;
  // Nothing but blanks is nothing said: it would stand in the conversation as an empty prompt.
  return { approved, message: message?.trim() ? message : undefined, limits };
}

/** Other fields are no business of ours; but a raise that is passed over for a slip of the pen would be another raise. */
function misspeltField(fields: Record<string, unknown>): string | undefined {
  for (const name of Object.keys(fields).filter((each) => !FIELDS.includes(each))) {
    const [meant] = closest(name, FIELDS);
    if (meant !== undefined) return `there is no field "${name}": did you mean ${meant}?`;
  }
  return undefined;
}
