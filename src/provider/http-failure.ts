/** Failures of an HTTP exchange as values that keep their structure (E1–E3), without any secret. */
import type { IncomingHttpHeaders } from "node:http";
import type { Failure } from "../core/failure.ts";
import { retryHint } from "../core/hint.ts";
import { SECRET_MARK } from "../core/secret-shapes.ts";
import { oneLine } from "../core/text.ts";
import { TunnelRefused } from "./connection.ts";
import { errorInBody, type ProviderError } from "./provider-error.ts";

/** Who was asked, in words a person may read, and what must not stand in them. */
export interface Asked {
  readonly provider: string;
  readonly host: string;
  /** The wire it speaks. */
  readonly protocol: string;
  readonly secrets: readonly string[];
  /** Why no key was sent, if that may explain a refusal. */
  readonly keyWithheld?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly now: number;
}

const EXCERPT = 200;
const LONGEST = 600;
/** What is shorter is a placeholder (`x`), and would tear holes into words. */
const SECRET = 4;
const PRIVATE = /^(set-cookie2?|cookie|authorization|proxy-auth.*|www-authenticate|x-api-key)$/;

/** A status that says no, a redirect, or a body that is no stream. */
export function refusal(asked: Asked, answer: Answer): Failure {
  const { status, headers, body, now } = answer;
  const error = errorInBody(body);
  const said = error.message ?? excerpt(body);
  // A good status around an error: what the error says of itself is the better one.
  const shown = status < 400 ? (error.status ?? status) : status;
  const kept = keptHeaders(asked, headers);
  const hint = retryHint(shown, kept, now);
  const requestId = kept["request-id"] ?? kept["x-request-id"];
  return {
    kind: "http",
    message: clean(asked, sentence(asked, { status, headers, error, said })),
    status: shown,
    protocol: asked.protocol,
    ...names(asked, error),
    ...(hint === undefined ? {} : { retryAfterMs: hint.ms, retryAfterSource: hint.source }),
    ...(requestId === undefined ? {} : { requestId }),
    headers: kept,
  };
}

interface Said {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly error: ProviderError;
  readonly said: string;
}

function sentence(asked: Asked, { status, headers, error, said }: Said): string {
  const type = error.type ? ` (${error.type})` : "";
  if (status >= 400) {
    const why = (status === 401 || status === 403) && asked.keyWithheld ? `; ${asked.keyWithheld}` : "";
    return `${asked.provider} answered ${status}${type}: ${said || "no reason given"}${why}`;
  }
  if (status >= 300) {
    return `${asked.provider} answered ${status}, a redirect to ${originOf(headers.location)}, which is not followed; set base_url to the address that is meant`;
  }
  if (error.message !== undefined) return `${asked.provider} answered with an error${type}: ${said}`;
  const what = /^\s*</.test(said) ? "a web page" : "something else";
  return `${asked.provider} answered with ${what}, not with a stream of events; is ${asked.host} the right address, or does a proxy stand before it? ${said}`;
}

function originOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : "another place";
}

/** The provider broke off in the middle of its answer and said why. */
export function brokenOff(asked: Asked, error: ProviderError): Failure {
  const { type, message, status } = error;
  const named = type === undefined ? "an error" : type;
  const text = `${asked.provider} broke off with ${named}: ${message ?? "no reason given"}`;
  return {
    kind: "http",
    message: clean(asked, text),
    protocol: asked.protocol,
    ...(status === undefined ? {} : { status }),
    ...names(asked, error),
  };
}

function names(asked: Asked, { type, family }: ProviderError): Pick<Failure, "type" | "typeFamily"> {
  return {
    ...(type === undefined ? {} : { type: clean(asked, type) }),
    ...(family === undefined ? {} : { typeFamily: clean(asked, family) }),
  };
}

/** Reset, refused, not found, TLS: there was no answer, or it ended in the middle of a byte stream. */
export function noConnection(asked: Asked, error: Error & { readonly code?: string }): Failure {
  if (error instanceof TunnelRefused) {
    return {
      kind: "http",
      status: error.status,
      message: clean(asked, `${asked.provider} was not reached: ${error.message}`),
    };
  }
  const { code } = error;
  const words = (code && WORDS[code]) ?? (error.message || "the connection failed");
  const tail = code === undefined ? "" : ` (${code})`;
  const message = `${asked.provider} was not reached at ${asked.host}: ${words}${tail}`;
  return {
    kind: "connection",
    message: clean(asked, message),
    ...(code === undefined ? {} : { type: code }),
  };
}

/** It was reached and had begun to answer: whoever reads that it was not would look in the wrong place. */
export function cutOff(asked: Asked): Failure {
  const message = `${asked.provider} was cut off in the middle of its answer: the connection to ${asked.host} was reset (${RESET})`;
  return { kind: "connection", message: clean(asked, message), type: RESET };
}

const RESET = "ECONNRESET";

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name could not be looked up",
  ETIMEDOUT: "no answer in time",
  ENETUNREACH: "the network is not reachable",
  EHOSTUNREACH: "the host is not reachable",
};

export function failure(asked: Asked, kind: Failure["kind"], message: string): Failure {
  return { kind, message: clean(asked, `${asked.provider}: ${message}`) };
}

function keptHeaders(asked: Asked, headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || PRIVATE.test(name) ? [] : [[name, clean(asked, String(value))] as const],
  );
  return Object.fromEntries(kept);
}

function excerpt(body: string): string {
  return oneLine(body, EXCERPT);
}

/** One line, no key: servers repeat what they were sent, some of them with stars in the middle. */
function clean({ secrets }: Asked, text: string): string {
  const without = secrets
    .filter(({ length }) => length >= SECRET)
    .reduce((left, secret) => left.replaceAll(secret, SECRET_MARK), text);
  return oneLine(without.replace(/\bsk-[\w*.-]{6,}/g, SECRET_MARK), LONGEST);
}
