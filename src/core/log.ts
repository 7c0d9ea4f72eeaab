/**
 * An append-only list that is a value: appending returns a new list and never changes an old one,
 * yet costs O(1), because lists that grew from each other share one array.
 */
export interface Log<T> {
  readonly length: number;
  readonly items: readonly T[];
}

export const emptyLog: Log<never> = { length: 0, items: [] };

export function append<T>(log: Log<T>, item: T): Log<T> {
  const shared = log.items as T[];
  // A second append to the same value would overwrite its sibling's item: take a copy then.
  const items = log.length > 0 && shared.length === log.length ? shared : shared.slice(0, log.length);
  items.push(item);
  return { length: items.length, items };
}

export function last<T>(log: Log<T>): T | undefined {
  return log.items[log.length - 1];
}

export function toArray<T>(log: Log<T>): readonly T[] {
  return log.items.length === log.length ? log.items : log.items.slice(0, log.length);
}
