/** What an actor remembers beside the journal, and may lose: the last few. */
const MOST_REMEMBERED = 1_000;

export function keep<T>(all: Map<string, T>, key: string, value: T): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.size > MOST_REMEMBERED ? all.keys() : [];
  if (oldest !== undefined) all.delete(oldest);
}
