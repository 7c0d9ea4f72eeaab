/** Settings of a project over those of its user over the defaults. Read once, at start. */
import { join, relative } from "node:path";
import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { Problem } from "../core/problem.ts";
import { Settings } from "../core/settings.ts";
import { checkYaml } from "../yaml/check.ts";
import { complaintText } from "../yaml/complaint.ts";
import { readText } from "../yaml/file.ts";
import { parseYaml, type Yaml } from "../yaml/parse.ts";
import { configHome } from "./state-home.ts";

type Mapping = Readonly<Record<string, unknown>>;

/** Which file holds which keys. */
export const SETTINGS_FILES = {
  "resilience.yaml": ["retry", "durability", "recover", "model", "tool"],
  "coordination.yaml": ["concurrency"],
} as const satisfies Record<string, readonly (keyof Settings)[]>;

type FileName = keyof typeof SETTINGS_FILES;

/** Without a root: no project, or one that is not trusted, whose settings are not honoured (F7). */
export function readSettings(root: string | undefined, userFolder = configHome()): Settings {
  const names = Object.keys(SETTINGS_FILES) as FileName[];
  const user = names.map((name) => readLayer(name, join(userFolder, name)));
  const project =
    root === undefined ? [] : names.map((name) => readLayer(name, join(root, ".ai/config", name), root));
  return z.parse(Settings, [...user, ...project].reduce<Mapping>(merge, {}));
}

function readLayer(name: FileName, path: string, root?: string): Mapping {
  const file = root === undefined ? path : relative(root, path);
  const read = readText(path);
  if ("missing" in read) return {};
  if ("refused" in read) throw invalid(file, `${file}: ${read.refused}`);
  const yaml = parseYaml({ file, text: read.text });
  if ("complaints" in yaml) throw invalid(file, complaintText(yaml.complaints));
  const value = said(yaml.value);
  const strays = misplaced(yaml, value, name);
  if (strays.length > 0) throw invalid(file, complaintText(strays));
  const checked = checkYaml(yaml, schemaOf(name), value);
  if ("complaints" in checked) throw invalid(file, complaintText(checked.complaints));
  // Not the checked value: it has all defaults filled in, which would hide the layer below.
  return value as Mapping;
}

/** A key with nothing after it says nothing: `init` writes such headings over commented lines. */
function said(value: unknown): unknown {
  if (value === null) return {};
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

function schemaOf(name: FileName) {
  const keys: readonly string[] = SETTINGS_FILES[name];
  return z.object(Object.fromEntries(Object.entries(Settings.shape).filter(([key]) => keys.includes(key))));
}

/** Right key, wrong file; a plain "unknown key" would send people to look for a typing error. */
function misplaced(yaml: Yaml, value: unknown, name: FileName): Complaint[] {
  if (!isMapping(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const home = Object.entries(SETTINGS_FILES).find(([, keys]) =>
      (keys as readonly string[]).includes(key),
    )?.[0];
    if (home === undefined || home === name) return [];
    return [{ file: yaml.file, ...yaml.placeOf([key], "key"), message: `"${key}" belongs in ${home}` }];
  });
}

function merge(below: Mapping, above: Mapping): Mapping {
  const entries = Object.entries(above).map(([key, value]) => {
    const old = below[key];
    return [key, isMapping(old) && isMapping(value) ? merge(old, value) : value] as const;
  });
  return { ...below, ...Object.fromEntries(entries) };
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(file: string, why: string): Problem {
  return new Problem("E_CONFIG_INVALID", { what: `The settings in ${file} do not validate.`, why });
}
