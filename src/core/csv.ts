/** Lines for a spreadsheet. */
import { stripControls } from "./text.ts";

export type CsvCell = string | number | null;

export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => row.map(cell).join(",")).join("\n");
}

/** What begins like a formula would be run by the program that opens the file; a quote in front makes it text. */
function cell(value: CsvCell): string {
  if (value === null) return "";
  const text = stripControls(String(value));
  const harmless = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\n\r']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
