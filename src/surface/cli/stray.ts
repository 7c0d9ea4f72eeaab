/**
 * Failures that nobody waited for. They end a command, unless somebody says that they are its own: packages that others
 * wrote run in a host with a chat bot, and what they forget to catch must not take its threads down.
 */
type Taker = (error: unknown) => void;

const takers = new Set<Taker>();

/** Until what is returned is called. */
export function takeStrays(taker: Taker): () => void {
  takers.add(taker);
  return () => void takers.delete(taker);
}

/** Whether it was somebody's. */
export function isTaken(error: unknown): boolean {
  for (const taker of takers) taker(error);
  return takers.size > 0;
}
