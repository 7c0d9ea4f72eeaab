/**
 * Settings: the project's over those of its user, over those of the machine, over the defaults. Read once, at start.
 *   S1. A layer says a setting at most once: its YAML, else its settings.json.
 *   S2. Where a setting narrows, no project's value is looser than what stands without the project.
 *   S3. Nothing is left out in silence: a file that does not validate is complained about, and `readSettings` throws.
 */
import { join } from "node:path";
import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { type RetryPart, type SettingLine, Settings, settingLines } from "../core/settings.ts";
import { oneLine } from "../core/text.ts";
import { type FileComplaints, InvalidConfig } from "./invalid.ts";
import { type ConfigLayer, type ConfigPlaces, configLayers, type LayerName } from "./layers.ts";
import {
  readSettingsFile,
  SETTINGS_FILES,
  SETTINGS_JSON,
  type SettingsFile,
  type Statement,
} from "./settings-file.ts";

/** Where a value comes from. */
interface Origin {
  readonly layer: LayerName;
  readonly file: string;
  readonly line: number;
  readonly value: unknown;
}

export interface SettingsRead {
  readonly settings: Settings;
  /** All that is said about a setting, the winner first; nothing where the default stands. */
  readonly origins: ReadonlyMap<string, readonly Origin[]>;
  /** With what a provider says for itself: over the user's, under the project's (E4). */
  retryFor(provider: RetryPart | undefined): Settings["retry"];
}

/** Without a root: no project, or one that is not trusted, whose settings are not honoured (F7). */
export function readSettings(root: string | undefined, places: ConfigPlaces = {}): Settings {
  return readSettingsWithOrigins(root, places).settings;
}

export function readSettingsWithOrigins(root: string | undefined, places: ConfigPlaces = {}): SettingsRead {
  const { wrong, ...read } = lookAtSettings(root, places);
  const [first] = wrong;
  if (first) throw new InvalidConfig("settings", first);
  return read;
}

export interface SettingsLook extends SettingsRead {
  /** Files that do not validate. What they say is left out. */
  readonly wrong: readonly FileComplaints[];
}

/** For who only looks: never throws. */
export function lookAtSettings(root: string | undefined, places: ConfigPlaces = {}): SettingsLook {
  const files = configLayers(root, places).flatMap(filesOf);
  return settingsOf(files);
}

/** A file of a layer, with what it says or what is wrong with it. */
export interface SettingsSource {
  readonly layer: LayerName;
  readonly file: string;
  readonly says: ReturnType<typeof readSettingsFile>;
}

/** Lowest first (S1). */
export function filesOf({ layer, folder, settingsJson, shown }: ConfigLayer): SettingsSource[] {
  const names = Object.keys(SETTINGS_FILES) as SettingsFile[];
  const paths = [
    [SETTINGS_JSON, settingsJson] as const,
    ...names.map((name) => [name, join(folder, name)] as const),
  ];
  return paths.map(([name, path]) => ({
    layer,
    file: shown(path),
    says: readSettingsFile(name, path, shown(path)),
  }));
}

/** The one place where layers become settings. */
export function settingsOf(sources: readonly SettingsSource[]): SettingsLook {
  const below = mergedOrigins(sources.filter(({ layer }) => layer !== "project"));
  const judged = sources.map((source) => ({ ...source, complaints: complaintsAbout(source, below) }));
  const wrong = judged.filter(({ complaints }) => complaints.length > 0);
  const origins = mergedOrigins(judged.filter(({ complaints }) => complaints.length === 0));
  const settings = z.parse(Settings, nested(origins));
  return {
    settings,
    origins,
    wrong: wrong.map(({ file, complaints }) => ({ file, complaints })),
    retryFor: (provider) => retryFor(settings.retry, origins, provider),
  };
}

type Origins = ReadonlyMap<string, readonly Origin[]>;

function mergedOrigins(sources: readonly SettingsSource[]): Origins {
  const origins = new Map<string, Origin[]>();
  for (const { layer, file, says } of sources) {
    for (const { key, value, line } of "said" in says ? says.said : []) {
      origins.set(key, [{ layer, file, line, value }, ...(origins.get(key) ?? [])]);
    }
  }
  return origins;
}

function nested(origins: Origins): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [key, [winner]] of origins) {
    const path = key.split(".");
    const name = path.pop() ?? key;
    let section = root;
    for (const step of path) {
      section[step] ??= {};
      section = section[step] as Record<string, unknown>;
    }
    section[name] = winner?.value;
  }
  return root;
}

function complaintsAbout({ layer, file, says }: SettingsSource, below: Origins): readonly Complaint[] {
  if ("complaints" in says) return says.complaints;
  if (layer !== "project") return [];
  const lines = new Map(settingLines().map((line) => [line.key, line]));
  return says.said.flatMap((statement) => widening(file, statement, lines.get(statement.key), below) ?? []);
}

/** S2. */
function widening(
  file: string,
  { key, value, line, column }: Statement,
  setting: SettingLine | undefined,
  below: Origins,
): Complaint | undefined {
  const rule = setting?.narrows;
  const [origin] = below.get(key) ?? [];
  const most = origin ? origin.value : setting?.fallback;
  if (!rule || rule.allows(most, value)) return undefined;
  const whose = origin
    ? origin.layer === "user"
      ? "your own settings say"
      : `${origin.file} says`
    : "built in is";
  const message = `${key}: ${rule.says}: ${whose} ${oneLine(shownValue(most), 80)}`;
  return { file, line, column, message, fix: "remove it, or set it in your own settings: config set --user" };
}

function shownValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** E4: project > provider > user > system. */
function retryFor(
  retry: Settings["retry"],
  origins: Origins,
  provider: RetryPart | undefined,
): Settings["retry"] {
  const isProjects = (name: string) => origins.get(`retry.${name}`)?.[0]?.layer === "project";
  const said = Object.entries(provider ?? {}).filter(
    ([name, value]) => value !== undefined && !isProjects(name),
  );
  return { ...retry, ...Object.fromEntries(said) };
}
