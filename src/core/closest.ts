/** The names a person may have meant. */
export function closest(wanted: string, names: readonly string[], most = 3): string[] {
  return names
    .map((name) => ({ name, distance: distance(wanted, name) }))
    .filter(
      ({ name, distance }) => distance <= Math.max(2, Math.floor(Math.max(wanted.length, name.length) / 3)),
    )
    .sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** Levenshtein, one row at a time. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
