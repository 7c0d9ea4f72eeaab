/** Changes to the text of a file that is built, at places that its tree names. */
export type Node = Readonly<Record<string, unknown>>;

export function walk(node: unknown, see: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) see(node as Node);
  for (const value of Object.values(node)) walk(value, see);
}

/** Each text at its place; what is cut from a place to another is left out. */
export function inserted(
  code: string,
  texts: ReadonlyMap<number, string>,
  cut: ReadonlyMap<number, number> = new Map(),
): string {
  const parts: string[] = [];
  let from = 0;
  for (const [at, text] of [...texts].sort(([left], [right]) => left - right)) {
    parts.push(code.slice(from, at), text);
    from = cut.get(at) ?? at;
  }
  return [...parts, code.slice(from)].join("");
}
