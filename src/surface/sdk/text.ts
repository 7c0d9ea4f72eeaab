/** What a thread says, as text: while it is being said where that can be heard, and whole in any case. */
import type { Event, LiveEvent } from "../../core/event.ts";
import type { Block } from "../../core/message.ts";

export async function* textOf(events: AsyncIterable<Event | LiveEvent>): AsyncGenerator<string, void> {
  const speech = new Speech();
  for await (const event of events) {
    const more = speech.hear(event);
    if (more !== "") yield more;
  }
}

/** Pure: what is to be said after each event. */
export class Speech {
  /** The last turn whose answer is whole. */
  #whole = 0;
  /** Of the answer under way: what was handed out, and what is known for sure. */
  #said = "";
  readonly #known = new Map<number, string>();
  #needsBreak = false;

  hear(event: Event | LiveEvent): string {
    switch (event.type) {
      case "cognition_out_delta":
        return event.turn > this.#whole ? this.#say(event.text) : "";
      case "step_start":
        this.#begin();
        return "";
      case "tool_call_start":
        for (const { at, block } of event.preceding) this.#learn(at, block as Block);
        return this.#catchUp();
      case "cognition_out": {
        event.content.forEach((slot, at) => {
          if (slot.type !== "journaled") this.#learn(at, slot as Block);
        });
        const rest = this.#catchUp();
        this.#whole = event.turn;
        this.#begin();
        return rest;
      }
      default:
        return "";
    }
  }

  /** An answer that failed half way is begun anew: what was said of it stands, and a new line begins. */
  #begin(): void {
    if (this.#said !== "" && !this.#said.endsWith("\n")) this.#needsBreak = true;
    this.#said = "";
    this.#known.clear();
  }

  #learn(at: number, block: Block): void {
    if (block.type === "text") this.#known.set(at, block.text);
  }

  /** What was not heard live. If something was missed in between, all of it is said again. */
  #catchUp(): string {
    const places = [...this.#known].sort(([left], [right]) => left - right);
    const full = places.map(([, text]) => text).join("");
    if (this.#said.startsWith(full)) return "";
    if (full.startsWith(this.#said)) return this.#say(full.slice(this.#said.length));
    this.#begin();
    return this.#say(full);
  }

  #say(text: string): string {
    if (text === "") return "";
    this.#said += text;
    const lead = this.#needsBreak ? "\n" : "";
    this.#needsBreak = false;
    return `${lead}${text}`;
  }
}
