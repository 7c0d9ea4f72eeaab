/**
 * Other names for our settings: camelCase in settings.json, and the policies of the seeds in YAML. Each setting still
 * has one name of its own, by which everything after this file knows it.
 */
import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { Settings, settingLines } from "../core/settings.ts";
import type { Path, Yaml } from "../yaml/parse.ts";
import { isMapping } from "./mapping.ts";

/** `retry.policies.…`, in seconds → `retry.…`, in milliseconds. */
const POLICIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  exponential: { base: "base_delay_ms", max_delay: "max_delay_ms" },
  fixed: { delay: "fixed_ms" },
  rate_limited: { fallback: "rate_limited_ms" },
};

interface OtherName {
  readonly path: readonly string[];
  readonly key: string;
}

const OTHER_NAMES: readonly OtherName[] = Object.entries(POLICIES).flatMap(([policy, names]) =>
  Object.entries(names).map(([name, key]) => ({
    path: ["retry", "policies", policy, name],
    key: `retry.${key}`,
  })),
);

const seconds = z.optional(z.number().check(z.nonnegative(), z.maximum(1e9)));

const Policies = z.object(mapped(POLICIES, (names) => z.optional(z.object(mapped(names, () => seconds)))));

/** Settings as they may be written. */
export const WrittenSettings = z.extend(Settings, {
  retry: z.optional(z.extend(Settings.shape.retry.def.innerType, { policies: z.optional(Policies) })),
});

function mapped<T, R>(from: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));
}

/** Where else a setting may stand in a file. */
export function otherPathsOf(key: string): readonly (readonly string[])[] {
  return OTHER_NAMES.filter((other) => other.key === key).map(({ path }) => path);
}

/** By its own name, in camelCase, or as one of the policies of the seeds. */
export function ownName(name: string): string | undefined {
  const snake = snakeCase(name);
  const other = OTHER_NAMES.find(({ path }) => path.join(".") === snake);
  return other?.key ?? settingLines().find(({ key }) => key === snake)?.key;
}

export type Found =
  | { readonly value: unknown; readonly path: Path }
  | { readonly complaint: Complaint }
  | undefined;

/** What a checked file says about a setting, by whichever of its names. */
export function findSetting(yaml: Yaml, key: string): Found {
  const own = key.split(".");
  const ownValue = valueAt(yaml.value, own);
  for (const path of otherPathsOf(key)) {
    const value = valueAt(yaml.value, path);
    if (value === undefined) continue;
    if (ownValue === undefined) return { value: Math.round(Number(value) * 1000), path };
    const message = `${path.join(".")} is another name of ${key}; both stand here, keep one`;
    return {
      complaint: { file: yaml.file, ...yaml.placeOf(path, "key"), message, fix: "remove one of them" },
    };
  }
  return ownValue === undefined ? undefined : { value: ownValue, path: own };
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (isMapping(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    root,
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same text with all keys in snake_case. Places are still those of the text. */
export function inSnakeCase(yaml: Yaml): Yaml | { readonly complaints: readonly Complaint[] } {
  const written = new Map<string, Path>();
  const complaints: Complaint[] = [];
  const rename = (value: unknown, ours: Path, theirs: Path): unknown => {
    if (!isMapping(value)) return value;
    const names = new Map<string, string>();
    const entries = Object.entries(value).map(([name, item]) => {
      const key = snakeCase(name);
      const twin = names.get(key);
      const path = [...theirs, name];
      if (twin !== undefined) {
        const message = `"${name}" is another name of "${twin}"; both stand here, keep one`;
        complaints.push({
          file: yaml.file,
          ...yaml.placeOf(path, "key"),
          message,
          fix: "remove one of them",
        });
      }
      names.set(key, name);
      written.set(JSON.stringify([...ours, key]), path);
      return [key, rename(item, [...ours, key], path)] as const;
    });
    return Object.fromEntries(entries);
  };
  const value = rename(yaml.value, [], []);
  if (complaints.length > 0) return { complaints };
  return { ...yaml, value, placeOf: (path, part) => yaml.placeOf(writtenPath(written, path), part) };
}

/** The items of a list have no names: from there on the path is as it was. */
function writtenPath(written: ReadonlyMap<string, Path>, path: Path): Path {
  for (let length = path.length; length > 0; length -= 1) {
    const known = written.get(JSON.stringify(path.slice(0, length)));
    if (known) return [...known, ...path.slice(length)];
  }
  return path;
}
