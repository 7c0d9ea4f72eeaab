/** Settings as people read them. */
import type { ConfigFile, SettingOrigin, SettingShown } from "../../core/configuration.ts";
import { oneLine, stripControls } from "../../core/text.ts";
import type { Terminal } from "./terminal.ts";

/** Words as they are, everything else as JSON: also what `config get` prints. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? stripControls(value) : JSON.stringify(value);
}

export function nameText({ key, provider }: SettingShown): string {
  return provider === null ? key : `${key} (${provider})`;
}

/** From the lowest to the highest: the last value is the one that holds. */
export function originLines(values: readonly SettingShown[], { out }: Terminal): string[] {
  const rows = values.map((setting) => {
    const [first, ...over] = [setting.origin, ...setting.overrides].reverse();
    const left = `${nameText(setting)} = ${oneLine(valueText(first?.value), 60)}`;
    const right = over.map(
      (origin) => `overridden by ${placeText(origin)} → ${oneLine(valueText(origin.value), 60)}`,
    );
    return { left, right: [first ? placeText(first) : "", ...right].join(" · ") };
  });
  const width = Math.max(0, ...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `${left.padEnd(width)}   ${out.dim(right)}`);
}

export function placeText({ layer, file, line }: SettingOrigin): string {
  return file === null ? layer.replace("-", " ") : `${file}:${line}`;
}

/** Fixed columns: key, provider, value, layer, file, line. */
export function plainSetting({ key, provider, value, origin }: SettingShown): string {
  const { layer, file, line } = origin;
  return [key, provider ?? "-", valueText(value), layer, file ?? "-", line ?? "-"].join("\t");
}

/** `file:line:column` first, so that editors and terminals can jump there. */
export function complaintLines(files: readonly ConfigFile[], { out }: Terminal): string {
  return files
    .flatMap(({ complaints }) => complaints)
    .map(({ file, line, column, message, fix }) => {
      const text = stripControls(message).replace(/\s+/g, " ");
      const advice = fix === undefined ? "" : `\n    ${out.dim("fix")}  ${stripControls(fix)}`;
      return `${file}:${line}:${column}: ${out.red("✗")} ${text}${advice}`;
    })
    .join("\n");
}
