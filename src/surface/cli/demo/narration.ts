/** The journal of the demo's thread, told as a story: each event once, however often the journal is read. */
import type { Event } from "../../../core/event.ts";
import { labelOf } from "./proof.ts";

interface Voice {
  /** A line with the time in front. */
  readonly tell: (text: string) => void;
  /** A line that belongs to the one above. */
  readonly say: (text: string) => void;
}

export class Narration {
  readonly #voice: Voice;
  readonly #labels = new Map<string, string>();
  #lastSeq = 0;

  constructor(voice: Voice) {
    this.#voice = voice;
  }

  follow(events: readonly Event[]): void {
    for (const event of events) {
      if (event.seq <= this.#lastSeq) continue;
      this.#lastSeq = event.seq;
      this.#narrate(event);
    }
  }

  #narrate(event: Event): void {
    const { tell, say } = this.#voice;
    switch (event.type) {
      case "cognition_out": {
        const text = event.content.flatMap((slot) => (slot.type === "text" ? [slot.text] : [])).join(" ");
        return tell(`● turn ${event.turn}   ${text}`);
      }
      case "tool_call_start":
        this.#labels.set(event.call_id, `${event.tool.padEnd(5)}  ${callText(event.input)}`);
        return;
      case "tool_call_result": {
        const label = this.#labels.get(event.call_id) ?? event.tool;
        if (event.status === "ok") return say(`✓ ${label}`);
        return say(`? ${label}   outcome unknown: never run again, the model is told`);
      }
      case "thread_completed":
        return tell("✓ completed");
      default:
        return;
    }
  }
}

/** What a call is about: the effect it has, or the file it writes. */
function callText(input: unknown): string {
  const { command, path } = (input ?? {}) as { command?: unknown; path?: unknown };
  return labelOf(input) ?? String(path ?? command ?? "");
}
