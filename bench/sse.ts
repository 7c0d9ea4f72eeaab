/** Reads the stand-in's stream. Both sides use this same reader: what differs between them is everything else. */

export interface WireCall {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}
export type WireBlock = { readonly type: "text"; readonly text: string } | WireCall;

export interface WireEvents {
  readonly text?: (delta: string) => void;
  readonly block: (block: WireBlock) => void;
}

interface WireData {
  readonly type: string;
  readonly content_block?: { type: string; id: string; name: string };
  readonly delta?: { text?: string; partial_json?: string; stop_reason?: string };
  readonly message?: { usage: { input_tokens: number } };
  readonly usage?: { output_tokens: number };
}

export class SseReader {
  readonly #on: WireEvents;
  #rest = "";
  #open: WireData["content_block"];
  #text = "";
  stop: string | undefined;
  ended = false;
  inputTokens = 0;
  outputTokens = 0;

  constructor(on: WireEvents) {
    this.#on = on;
  }

  push(chunk: string): void {
    const text = this.#rest + chunk;
    let start = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", start)) {
      const data = text.indexOf("data: ", start);
      this.#take(JSON.parse(text.slice(data + 6, end)));
      start = end + 2;
    }
    this.#rest = text.slice(start);
  }

  #take(event: WireData): void {
    switch (event.type) {
      case "message_start":
        this.inputTokens = event.message?.usage.input_tokens ?? 0;
        return;
      case "content_block_start":
        this.#open = event.content_block;
        this.#text = "";
        return;
      case "content_block_delta":
        this.#text += event.delta?.text ?? event.delta?.partial_json ?? "";
        if (event.delta?.text !== undefined) this.#on.text?.(event.delta.text);
        return;
      case "content_block_stop":
        return this.#close();
      case "message_delta":
        this.stop = event.delta?.stop_reason;
        this.outputTokens = event.usage?.output_tokens ?? 0;
        return;
      case "message_stop":
        this.ended = true;
    }
  }

  #close(): void {
    const open = this.#open;
    if (open?.type === "tool_use") {
      this.#on.block({ type: "tool_use", id: open.id, name: open.name, input: JSON.parse(this.#text) });
    } else this.#on.block({ type: "text", text: this.#text });
  }
}
