/** Server-sent events out of text that comes in pieces. */
import { createParser, type ParseError } from "eventsource-parser";

export interface SseListener {
  /** `event` is its name, where the stream gives one. */
  readonly data: (data: string, event: string | undefined) => void;
  readonly broken: (why: string) => void;
}

export interface SseReader {
  feed(text: string): void;
  /** The text ended in good order: what stands there unfinished is taken as it is. */
  end(): void;
}

/** One event: no answer of a model comes near it, and a line without an end must not fill the memory. */
const MAX_EVENT_CHARACTERS = 16_777_216;

export function sseReader(on: SseListener): SseReader {
  let isFirst = true;
  const onError = ({ type, field, value }: ParseError) => {
    if (type === "max-buffer-size-exceeded")
      on.broken(`an event is longer than ${MAX_EVENT_CHARACTERS} characters`);
    // llama.cpp tells of its errors in a field of that name, which the standard does not know.
    if (type === "unknown-field" && field === "error") on.data(`{"error":${value}}`, "error");
  };
  const parser = createParser({
    onEvent: ({ data, event }) => on.data(data, event),
    onError,
    maxBufferSize: MAX_EVENT_CHARACTERS,
  });
  return {
    feed(text) {
      parser.feed(isFirst ? text.replace(/^\ufeff/, "") : text);
      isFirst = false;
    },
    end: () => parser.feed("\n\n"),
  };
}

/**
 * Whether a body is a stream of events, from its type and its first characters; undefined while too few are there.
 * Both are looked at: servers name the wrong type, and proxies put pages and JSON where a stream should be.
 */
export function isEventStream(contentType: string | undefined, head: string): boolean | undefined {
  const start = head.replace(/^\ufeff/, "").trimStart();
  if (start === "") return undefined;
  if (/^[<{[]/.test(start)) return false;
  if (contentType?.toLowerCase().startsWith("text/event-stream")) return true;
  if (FIELDS.some((field) => start.startsWith(field))) return true;
  return FIELDS.some((field) => field.startsWith(start)) ? undefined : false;
}

const FIELDS = ["data:", "event:", "retry:", "id:", ":"];
