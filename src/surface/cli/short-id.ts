/** A thread among others: its directive and the end of its id, which commands accept in its place. */

const PARTS = /^(.+)-\d+-([a-z0-9]{6})$/;

export function shortId(threadId: string): string {
  const [, directive, end] = PARTS.exec(threadId) ?? [];
  return directive === undefined ? threadId : `${directive}-${end}`;
}

/** Several of them, and how many more. */
export function shortIds(ids: readonly string[], most = 3): string {
  const shown = ids.slice(0, most).map(shortId).join(", ");
  return ids.length > most ? `${shown} and ${ids.length - most} more` : shown;
}
