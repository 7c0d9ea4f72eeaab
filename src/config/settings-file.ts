/** One file of settings, from text to what it says: setting by setting, each with its place. */
import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { type Settings, settingLines } from "../core/settings.ts";
import { checkYaml } from "../yaml/check.ts";
import { readText } from "../yaml/file.ts";
import { parseYaml, type Yaml, type YamlText } from "../yaml/parse.ts";
import { isMapping } from "./mapping.ts";
import { findSetting, inSnakeCase, WrittenSettings } from "./setting-names.ts";

/** Which file holds which keys. `settings.json`, beside them, holds any. */
export const SETTINGS_FILES = {
  "resilience.yaml": [
    ...(["retry", "durability", "recover", "sandbox"] as const),
    ...(["limits", "approvals", "loop", "model", "tool"] as const),
  ],
  "coordination.yaml": ["concurrency", "continuation", "telemetry"],
} as const satisfies Record<string, readonly (keyof Settings)[]>;

export const SETTINGS_JSON = "settings.json";

export type SettingsFile = keyof typeof SETTINGS_FILES | typeof SETTINGS_JSON;

export interface Statement {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
  readonly column: number;
}

type Complaints = { readonly complaints: readonly Complaint[] };
export type FileSays = { readonly said: readonly Statement[] } | Complaints;

/** `file`: the path as people read it. A file that is not there says nothing. */
export function readSettingsFile(name: SettingsFile, path: string, file: string): FileSays {
  const read = readText(path);
  if ("missing" in read) return { said: [] };
  if ("refused" in read) return { complaints: [{ file, line: 1, column: 1, message: read.refused }] };
  return parseSettings(name, { file, text: read.text });
}

export function parseSettings(name: SettingsFile, source: YamlText): FileSays {
  const parsed = name === SETTINGS_JSON ? parseJson(source) : parseYaml(source);
  if ("complaints" in parsed) return parsed;
  const yaml = { ...parsed, value: withoutHeadings(parsed.value, "") };
  const strays = misplaced(yaml, name);
  if (strays.length > 0) return { complaints: strays };
  const checked = checkYaml(yaml, schemaOf(name));
  return "complaints" in checked ? checked : statements(yaml);
}

/** Not from the checked value: that has all defaults filled in, which would hide the layer below. */
function statements(yaml: Yaml): FileSays {
  const found = settingLines().map(({ key }) => ({ key, found: findSetting(yaml, key) }));
  const complaints = found.flatMap(({ found }) => (found && "complaint" in found ? [found.complaint] : []));
  if (complaints.length > 0) return { complaints };
  const said = found.flatMap(({ key, found }) =>
    found && "path" in found ? [{ key, value: found.value, ...yaml.placeOf(found.path, "value") }] : [],
  );
  return { said };
}

/** JSON is read as the YAML that it nearly is, for the places of its keys. */
function parseJson(source: YamlText): Yaml | Complaints {
  const { file, text } = source;
  try {
    JSON.parse(text);
  } catch (cause) {
    // Its only failure is text that is not JSON, and its message is the one that people know.
    const { message } = cause as Error;
    return { complaints: [{ file, ...placeIn(text, message), message: `it is not JSON: ${message}` }] };
  }
  // A tab between two tokens of JSON is no tab to YAML; inside of text there can be none.
  const yaml = parseYaml({ file, text: text.replaceAll("\t", " ") });
  return "complaints" in yaml ? yaml : inSnakeCase(yaml);
}

function placeIn(text: string, message: string): { line: number; column: number } {
  const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? 0);
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

const SECTIONS = new Set(
  settingLines().flatMap(({ key }) => {
    const parts = key.split(".");
    return parts.map((_, index) => parts.slice(0, index).join("."));
  }),
);

/** A heading with nothing under it says nothing: `init` writes such headings over commented lines. */
function withoutHeadings(value: unknown, section: string): unknown {
  if (value === null && SECTIONS.has(section)) return {};
  if (!isMapping(value) || !SECTIONS.has(section)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const path = section === "" ? key : `${section}.${key}`;
    return [key, withoutHeadings(item, path)] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => section !== "" || item !== null));
}

function schemaOf(name: SettingsFile) {
  if (name === SETTINGS_JSON) return WrittenSettings;
  const keys: readonly string[] = SETTINGS_FILES[name];
  const shape = Object.entries(WrittenSettings.shape).filter(([key]) => keys.includes(key));
  return z.object(Object.fromEntries(shape));
}

/** Right key, wrong file; a plain "unknown key" would send people to look for a typing error. */
function misplaced({ file, value, placeOf }: Yaml, name: SettingsFile): Complaint[] {
  if (!isMapping(value) || name === SETTINGS_JSON) return [];
  return Object.keys(value).flatMap((key) => {
    const home = fileOf(key);
    if (home === undefined || home === name) return [];
    return [
      { file, ...placeOf([key], "key"), message: `"${key}" belongs in ${home}`, fix: `move it to ${home}` },
    ];
  });
}

/** The YAML file a setting belongs in. */
export function fileOf(key: string): keyof typeof SETTINGS_FILES | undefined {
  const [section] = key.split(".");
  const names = Object.keys(SETTINGS_FILES) as (keyof typeof SETTINGS_FILES)[];
  return names.find((name) => (SETTINGS_FILES[name] as readonly string[]).includes(section ?? ""));
}
