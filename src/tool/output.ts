/** What a child says, both streams in the order of arrival, up to a number of bytes. */
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

export interface OutputRules {
  readonly maxBytes: number;
  readonly onText: ((text: string) => void) | undefined;
  /** Called for everything that arrives beyond `maxBytes`, which is dropped. */
  readonly onOverflow: () => void;
}

export interface Output {
  text(): string;
  /** When nobody holds the other ends any more. */
  readonly closed: Promise<void>;
  /** Stops listening, whoever still holds the other end. */
  end(): void;
}

export function collectOutput(child: ChildProcess, rules: OutputRules): Output {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  // One decoder a stream: a character may be split between two chunks of one, with the other's in between.
  const decoders = streams.map(() => new StringDecoder("utf8"));
  const pieces: string[] = [];
  let bytes = 0;
  const hear = (decoder: StringDecoder, chunk: Buffer) => {
    const room = Math.max(0, rules.maxBytes - bytes);
    bytes += chunk.length;
    const text = decoder.write(chunk.subarray(0, room));
    if (text) pieces.push(text);
    if (text) rules.onText?.(text);
    if (chunk.length > room) rules.onOverflow();
  };
  streams.forEach((stream, index) => {
    stream.on("data", (chunk: Buffer) => hear(decoders[index] as StringDecoder, chunk));
    stream.on("error", () => {}); // what was heard until then is what there is
  });
  const closing = streams.map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  return {
    closed: Promise.all(closing).then(() => {}),
    text: () => pieces.join("") + decoders.map((decoder) => decoder.end()).join(""),
    end: () => {
      for (const stream of streams) stream.destroy();
    },
  };
}
