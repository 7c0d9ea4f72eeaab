/** What a protocol makes of a stream: the HTTP side hands it events and asks how it ended. */
import type { Usage } from "../core/message.ts";
import type { ProviderError } from "./provider-error.ts";

export type StreamEnd =
  | { readonly type: "end"; readonly stop: string; readonly usage?: Usage }
  | { readonly type: "error"; readonly error: ProviderError }
  /** The stream says something that makes no sense: as good as cut off. */
  | { readonly type: "garbled"; readonly why: string };

export interface StreamReader {
  /** One event; the end when it was the last. */
  take(data: string, event: string | undefined): StreamEnd | undefined;
  /** The body ended in good order; undefined when the answer had not. */
  close(): StreamEnd | undefined;
  /** What a broken answer cost, as far as it is known. */
  usage(): Usage | undefined;
  /** Characters of the answer so far: text, reasoning and arguments. */
  heard(): number;
}

/** A count of tokens as servers report it, or nothing if it is no count. */
export function tokenCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** Nobody said: about four characters a token. */
export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / 4);
}
