/** Lines for a model, as many as there is room for, and a note about the rest. */

export interface Room {
  readonly lines: number;
  readonly chars: number;
}

const NOTE_CHARS = 300;

export class Listing {
  readonly #lines: string[] = [];
  readonly #room: Room;
  #chars = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  /** False when there is no room for it. */
  add(line: string): boolean {
    this.#chars += line.length + 1;
    if (this.#lines.length >= this.#room.lines || this.#chars > this.#room.chars - NOTE_CHARS) return false;
    this.#lines.push(line);
    return true;
  }

  text(notes: readonly string[], nothing: string): string {
    const body = this.#lines.length > 0 ? this.#lines.join("\n") : nothing;
    return notes.length > 0 ? `${body}\n[${notes.join("; ")}]` : body;
  }

  get count(): number {
    return this.#lines.length;
  }
}
