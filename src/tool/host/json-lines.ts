/** JSON values on a line, one to a line of text: split anywhere on the way, whole again here. */
import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";

export function say<Message extends { readonly type: string }>(line: Duplex, message: Message): void {
  line.write(`${JSON.stringify(message)}\n`);
}

export interface Hearing<Message> {
  readonly maxChars: number;
  readonly onMessage: (message: Message) => void;
  /** A line too long, or not JSON: the other side is not what it should be. */
  readonly onNonsense: () => void;
}

export function hear<Message>(line: Duplex, { maxChars, onMessage, onNonsense }: Hearing<Message>): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let chars = 0;
  const take = (text: string) => {
    try {
      onMessage(JSON.parse(text));
    } catch {
      onNonsense();
    }
  };
  line.on("data", (chunk: Buffer) => {
    const [head = "", ...tail] = decoder.write(chunk).split("\n");
    pieces.push(head);
    chars += head.length;
    for (const next of tail) {
      take(pieces.join(""));
      pieces = [next];
      chars = next.length;
    }
    if (chars > maxChars) onNonsense();
  });
  line.on("error", () => {}); // its end tells the same
}
