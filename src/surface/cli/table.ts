/** Plain tables: columns as wide as their widest cell, and what does not fit is cut from the last one. */

export type Cell = string;

export function table(rows: readonly (readonly Cell[])[], width: number): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows.map((row) => {
    const line = row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
    return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
  });
}
