/**
 * What an error of a chat platform means for a delivery. Platforms and the packages that speak to them throw what they
 * like: a code, a status somewhere inside, a word in the body of an answer that says 200, or only a sentence. What they
 * wrote is never repeated to people: it may hold an address with a token in it.
 */

export type ChatFailureKind =
  | "rate_limited"
  | "unreachable"
  | "server"
  | "not_found"
  | "forbidden"
  | "too_long"
  | "refused";

export interface ChatFailure {
  readonly kind: ChatFailureKind;
  /** How long the platform wants us to wait, where it said. */
  readonly waitMs?: number;
}

export type AfterChatFailure =
  | { readonly next: "retry"; readonly afterMs: number }
  | { readonly next: "give_up"; readonly why: string };

export const MOST_CHAT_RETRIES = 3;
/** The first wait of our own; each further one is twice as long. */
const FIRST_WAIT_MS = 1_000;
/** What would come later than this is stale: the delivery fails instead, and says so. */
export const LONGEST_CHAT_WAIT_MS = 5 * 60_000;

/** Refused on our side, before anything was sent. */
export class ChatRefusal extends Error {
  readonly code: "TOO_LONG" | "NOT_FOUND" | "UNSUPPORTED";

  constructor(code: ChatRefusal["code"], message: string) {
    super(message);
    this.name = "ChatRefusal";
    this.code = code;
  }
}

type Layer = Readonly<Record<string, unknown>>;

const RETRIED: readonly ChatFailureKind[] = ["rate_limited", "unreachable", "server"];

const BY_CODE: Readonly<Record<string, ChatFailureKind>> = {
  RATE_LIMITED: "rate_limited",
  slack_webapi_rate_limited_error: "rate_limited",
  AUTH_FAILED: "forbidden",
  PERMISSION_DENIED: "forbidden",
  NOT_FOUND: "not_found",
  TOO_LONG: "too_long",
  VALIDATION_ERROR: "refused",
  NOT_IMPLEMENTED: "refused",
  UNSUPPORTED: "refused",
};

/** A packet never came back, or never left. */
const CONNECTION =
  /^(ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_\w+|ABORT_ERR|NETWORK_ERROR|slack_webapi_request_error)$/;

/** Words in the body of an answer, for platforms that say 200 and mean no. */
const BY_WORD: readonly (readonly [RegExp, ChatFailureKind])[] = [
  [/rate_?limit|too_many_requests/, "rate_limited"],
  [/too_long|too_large|too_many_blocks/, "too_long"],
  [/not_found|no_such|unknown_(message|channel)/, "not_found"],
  [/internal|fatal|unavailable|time_?out|try_again|service_/, "server"],
  [/not_in_channel|archived|restricted|scope|auth|token|permission|forbidden|not_allowed|cant_/, "forbidden"],
];

export function readChatFailure(error: unknown): ChatFailure {
  const layers = layersOf(error);
  const kind = kindOf(layers);
  const waitMs = kind === "rate_limited" || kind === "server" ? waitOf(layers) : undefined;
  return waitMs === undefined ? { kind } : { kind, waitMs };
}

/** `retries` that were made already. */
export function afterChatFailure(failure: ChatFailure, retries: number): AfterChatFailure {
  const { kind, waitMs } = failure;
  if (!RETRIED.includes(kind)) return { next: "give_up", why: WHY[kind] };
  if (waitMs !== undefined && waitMs > LONGEST_CHAT_WAIT_MS) {
    const asked = Math.ceil(waitMs / 60_000);
    const most = LONGEST_CHAT_WAIT_MS / 60_000;
    return { next: "give_up", why: `the platform asks to wait ${asked} min, and ${most} min are the most` };
  }
  if (retries >= MOST_CHAT_RETRIES) return { next: "give_up", why: `${WHY[kind]}, ${retries + 1} times` };
  return { next: "retry", afterMs: waitMs ?? FIRST_WAIT_MS * 2 ** retries };
}

const WHY: Readonly<Record<ChatFailureKind, string>> = {
  rate_limited: "the platform took no more messages",
  unreachable: "the platform could not be reached",
  server: "the platform failed",
  not_found: "the message or the chat is not there",
  forbidden: "the platform does not let us",
  too_long: "it is too long for the platform",
  refused: "the platform did not accept it",
};

function kindOf(layers: readonly Layer[]): ChatFailureKind {
  for (const { code } of layers) {
    const kind = typeof code === "string" ? BY_CODE[code] : undefined;
    if (kind) return kind;
  }
  const word = wordOf(layers);
  if (word !== undefined) return BY_WORD.find(([pattern]) => pattern.test(word))?.[1] ?? "refused";
  const status = statusOf(layers);
  if (status !== undefined) return kindOfStatus(status);
  return layers.some(isConnection) ? "unreachable" : "refused";
}

function kindOfStatus(status: number): ChatFailureKind {
  if (status === 429) return "rate_limited";
  if (status === 408 || status >= 500) return "server";
  if (status === 404 || status === 410) return "not_found";
  if (status === 401 || status === 403) return "forbidden";
  return status === 413 ? "too_long" : "refused";
}

function isConnection({ code, name, message }: Layer): boolean {
  if (typeof code === "string" && CONNECTION.test(code)) return true;
  return name === "TimeoutError" || name === "AbortError" || message === "fetch failed";
}

/** `{ ok: false, error: "channel_not_found" }`, under the names that clients give it. */
function wordOf(layers: readonly Layer[]): string | undefined {
  for (const { data, body } of layers) {
    const said = layer(data) ?? layer(body);
    const word = said?.["error"];
    if (typeof word === "string") return word.toLowerCase();
  }
  return undefined;
}

function statusOf(layers: readonly Layer[]): number | undefined {
  for (const { status, statusCode, code } of layers) {
    const found = [status, statusCode, code].find(isFailing);
    if (found !== undefined) return found as number;
  }
  // A client that hides every failure behind one code has at least a sentence: "API error: 404 {...}".
  for (const { message } of layers) {
    const [, found] = typeof message === "string" ? (/: ([45]\d\d)(?!\d)/.exec(message) ?? []) : [];
    if (found !== undefined) return Number(found);
  }
  return undefined;
}

function isFailing(value: unknown): boolean {
  return typeof value === "number" && value >= 400 && value < 600;
}

/** A wait of nothing is no answer: then our own backoff counts. */
function waitOf(layers: readonly Layer[]): number | undefined {
  for (const found of layers) {
    const ms = [found["retryAfterMs"], ...secondsOf(found).map((seconds) => Number(seconds) * 1_000)].find(
      (value) => typeof value === "number" && Number.isFinite(value) && value > 0,
    );
    if (ms !== undefined) return Math.ceil(ms as number);
  }
  return undefined;
}

function secondsOf(found: Layer): unknown[] {
  const { retryAfter, retry_after: underscored, headers, parameters, message } = found;
  const [, said] = typeof message === "string" ? (/"retry_after":\s*([\d.]+)/.exec(message) ?? []) : [];
  return [retryAfter, underscored, headerOf(headers), layer(parameters)?.["retry_after"], said];
}

function headerOf(headers: unknown): unknown {
  if (headers instanceof Headers) return headers.get("retry-after") ?? undefined;
  return layer(headers)?.["retry-after"];
}

/** The error and what it was made of, the outermost first. */
function layersOf(error: unknown): Layer[] {
  const found: Layer[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && found.length < 10) {
    const next = layer(queue.shift());
    if (!next || found.includes(next)) continue;
    found.push(next);
    const { cause, originalError, original, innerHttpError, response } = next;
    queue.push(cause, originalError, original, innerHttpError, response);
  }
  return found;
}

function layer(value: unknown): Layer | undefined {
  return typeof value === "object" && value !== null ? (value as Layer) : undefined;
}
