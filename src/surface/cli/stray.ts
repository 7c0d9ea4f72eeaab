/**
 * Failures that nobody waited for. They end a command, unless somebody says that they are its own: packages that others
 * wrote run in a host with a chat bot, and what they forget to catch must not take its threads down.
 */
type Taker = (error: unknown) => void;

let taker: Taker | undefined;

/** For as long as the process lives: what is under way at its end may fail still. */
export function takeStrays(by: Taker): void {
  taker = by;
}

/** Whether it was somebody's. */
export function isTaken(error: unknown): boolean {
  taker?.(error);
  return taker !== undefined;
}
