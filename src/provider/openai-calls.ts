/**
 * The calls of a chat completion, put together from pieces. A call is complete when its argument object closes, when
 * the next call begins, or at the end; each is handed on once.
 * Servers differ: every call may have index 0 (Ollama), ids may be missing or repeated, arguments may come whole, or
 * as an object, and the same piece may come twice.
 */
import type { RawBlock } from "../core/message.ts";
import { type ArgumentScanner, argumentScanner } from "./argument-scanner.ts";
import { callBlock } from "./arguments.ts";
import { isObject } from "./provider-error.ts";

interface OpenCall {
  id: string;
  name: string;
  text: string;
  readonly scanner: ArgumentScanner;
  isDone: boolean;
}

interface Piece {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export class OpenAiCalls {
  readonly #on: (block: RawBlock) => void;
  readonly #calls = new Map<unknown, OpenCall>();
  #latest: OpenCall | undefined;
  count = 0;

  constructor(on: (block: RawBlock) => void) {
    this.#on = on;
  }

  /** One entry of `delta.tool_calls`. Returns its characters. */
  take(entry: unknown): number {
    if (!isObject(entry)) return 0;
    const piece = pieceOf(entry);
    const key = entry["index"] ?? "none";
    const known = this.#calls.get(key);
    const call = known && !beginsAnother(known, piece) ? known : this.#begin(key, piece);
    if (call && !call.isDone) this.#grow(call, piece);
    return piece.text.length;
  }

  /** The answer is over: what is open is as complete as it will be. */
  end(): void {
    for (const call of this.#calls.values()) this.#close(call);
  }

  #begin(key: unknown, piece: Piece): OpenCall | undefined {
    // Nothing in it: some servers announce a list of calls that never come.
    if (piece.name === "" && piece.text.trim() === "") return undefined;
    const before = this.#latest;
    // Half an object may still go on, if a server mixes the pieces of its calls.
    if (before && !before.scanner.isOpen) this.#close(before);
    const replaced = this.#calls.get(key);
    if (replaced) this.#close(replaced);
    const call = { id: piece.id, name: "", text: "", scanner: argumentScanner(), isDone: false };
    this.#calls.set(key, call);
    this.#latest = call;
    this.count += 1;
    return call;
  }

  #grow(call: OpenCall, piece: Piece): void {
    call.id ||= piece.id;
    call.name ||= piece.name;
    const end = call.scanner.feed(piece.text);
    call.text += piece.text.slice(0, end);
    if (end !== undefined) this.#close(call);
  }

  #close(call: OpenCall): void {
    if (call.isDone) return;
    call.isDone = true;
    this.#on(callBlock(call.name, call.text));
  }
}

function beginsAnother(known: OpenCall, piece: Piece): boolean {
  if (differ(piece.id, known.id) || differ(piece.name, known.name)) return true;
  if (!known.isDone || piece.name === "" || piece.text.trim() === "") return false;
  const isEcho = piece.id !== "" && piece.name === known.name && piece.text === known.text;
  return !isEcho;
}

/** What is missing says nothing. */
function differ(one: string, other: string): boolean {
  return one !== "" && other !== "" && one !== other;
}

function pieceOf(entry: Readonly<Record<string, unknown>>): Piece {
  const { id, function: called } = entry;
  const { name, arguments: given } = isObject(called) ? called : {};
  const text = typeof given === "string" ? given : given == null ? "" : JSON.stringify(given);
  return { id: typeof id === "string" ? id : "", name: typeof name === "string" ? name : "", text };
}
