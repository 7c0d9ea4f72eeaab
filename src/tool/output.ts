/** What a child says, both streams in the order of arrival, up to a number of bytes. */
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

export interface OutputRules {
  readonly maxBytes: number;
  /** For what runs on and on: all of it would fill our memory. */
  readonly keep: "all" | "end";
  readonly onText: ((text: string) => void) | undefined;
  /** Called for everything that arrives beyond `maxBytes`, which is dropped. */
  readonly onOverflow: () => void;
}

interface Piece {
  readonly index: number;
  readonly text: string;
}

/** A piece is what came at once, 64 KiB at most. */
const MOST_PIECES = 8;

export interface Output {
  text(): string;
  /** What came on the first stream only. */
  firstText(): string;
  /** When nobody holds the other ends any more. */
  readonly closed: Promise<void>;
  /** Stops listening, whoever still holds the other end. */
  end(): void;
}

export function collectOutput(child: ChildProcess, rules: OutputRules): Output {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  // One decoder a stream: a character may be split between two chunks of one, with the other's in between.
  const decoders = streams.map(() => new StringDecoder("utf8"));
  const pieces: Piece[] = [];
  let bytes = 0;
  const hear = (index: number, decoder: StringDecoder, chunk: Buffer) => {
    const room = Math.max(0, rules.maxBytes - bytes);
    bytes += chunk.length;
    const text = decoder.write(chunk.subarray(0, room));
    if (text) pieces.push({ index, text });
    if (text) rules.onText?.(text);
    if (rules.keep === "end") while (pieces.length > MOST_PIECES) pieces.shift();
    if (chunk.length > room) rules.onOverflow();
  };
  streams.forEach((stream, index) => {
    const decoder = decoders[index] as StringDecoder;
    stream.on("data", (chunk: Buffer) => hear(index, decoder, chunk));
    stream.on("error", () => {}); // what was heard until then is what there is
  });
  const closing = streams.map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  return {
    closed: Promise.all(closing).then(() => {}),
    text: () => joined(pieces) + decoders.map((decoder) => decoder.end()).join(""),
    firstText: () => joined(pieces.filter(({ index }) => index === 0)),
    end: () => {
      for (const stream of streams) stream.destroy();
    },
  };
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}
