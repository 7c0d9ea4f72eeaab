import { StringDecoder } from "node:string_decoder";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isEventStream, sseReader } from "./sse.ts";

function read(pieces: readonly string[]) {
  const heard: { data: string; event: string | undefined }[] = [];
  const broken: string[] = [];
  const reader = sseReader({
    data: (data, event) => heard.push({ data, event }),
    broken: (why) => broken.push(why),
  });
  for (const piece of pieces) reader.feed(piece);
  reader.end();
  return { heard, broken };
}

const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\ufeff\0]/g, "·"));
const event = fc.record({
  name: fc.option(
    line.filter((name) => name.trim() !== ""),
    { nil: undefined },
  ),
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
});
const newline = fc.constantFrom("\n", "\r\n");

test("what is written is read, whatever the line ends, comments and cuts", () => {
  fc.assert(
    fc.property(fc.array(event), newline, fc.array(fc.nat()), fc.boolean(), (events, end, cuts, hasMark) => {
      const text = events
        .map(({ name, lines }) => {
          const fields = [
            ": ping",
            ...(name === undefined ? [] : [`event: ${name}`]),
            ...lines.map((text) => `data: ${text}`),
          ];
          return fields.map((field) => field + end).join("") + end;
        })
        .join("");
      const bytes = Buffer.from(hasMark ? `\ufeff${text}` : text);
      const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
      const decoder = new StringDecoder("utf8");
      const pieces = [...places, bytes.length].map((cut, at) =>
        decoder.write(bytes.subarray(places[at - 1] ?? 0, cut)),
      );
      expect(read(pieces).heard).toEqual(
        events.map(({ name, lines }) => ({ data: lines.join("\n"), event: name })),
      );
    }),
  );
});

test("no text throws", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom("\r", "\n", "data:", "error:", ":", "\ufeff", "id:\0"))),
      (pieces) => {
        read(pieces);
      },
    ),
  );
});

test("an event without an end does not fill the memory", () => {
  const reader: string[] = [];
  const sse = sseReader({ data: () => {}, broken: (why) => reader.push(why) });
  sse.feed("data: ");
  const piece = "x".repeat(1_000_000);
  for (let count = 0; count < 17; count += 1) if (reader.length === 0) sse.feed(piece);
  expect(reader).toEqual(["an event is longer than 16777216 characters"]);
});

describe("a body is a stream", () => {
  test.each([
    ["text/event-stream", "event: x", true],
    ["text/event-stream", "anything", true],
    ["Text/Event-Stream; charset=utf-8", "\n\n: ping", true],
    ["text/event-stream", "", undefined],
    ["text/event-stream", " \r\n", undefined],
    ["text/event-stream", "<html>", false],
    ["text/event-stream", '{"error"', false],
    ["application/json", "{", false],
    ["text/html", "<!doctype", false],
    ["text/plain", "da", undefined],
    ["text/plain", "data: {}", true],
    ["text/plain", "dear customer", false],
    [undefined, "\ufeffdata:", true],
    [undefined, ":", true],
  ])("%j beginning with %j: %j", (type, head, expected) => {
    expect(isEventStream(type, head)).toBe(expected);
  });
});
