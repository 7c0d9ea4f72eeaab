/** Plain tables: columns as wide as their widest cell, and what does not fit is cut from the last one. */
import { cutTo, padTo, widthOf } from "./shown-width.ts";

export type Cell = string;

export function table(rows: readonly (readonly Cell[])[], width: number): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? "")), 0),
  );
  return rows.map((row) => {
    const line = row
      .map((cell, column) => padTo(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
    return cutTo(line, width);
  });
}
