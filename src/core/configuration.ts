/** The configuration as people look at it and change it: what holds, who says so, and what is wrong with its files. */
import { closest } from "./closest.ts";
import type { Complaint } from "./directive.ts";
import type { ModelList } from "./model-list.ts";
import { Problem } from "./problem.ts";
import { type SettingLine, settingLines } from "./settings.ts";
import { oneLine } from "./text.ts";

/** What the rooms do for `selvage config`. A root is that of a trusted project; without one, only the user's count. */
export interface Configuration {
  show(root: string | undefined): SettingsShown;
  set(root: string | undefined, wish: SettingWish): SettingChange;
  /** The name of a setting, by whichever of the names that files may use; undefined: it is none. */
  ownName(name: string): string | undefined;
  /** Of any project: nothing is run, and nothing of it is honoured. */
  check(root: string | undefined): Promise<ConfigCheck>;
  /** Without `all`: of providers that can be asked, and those that a file names. */
  models(root: string | undefined, options: { readonly all: boolean }): ModelList;
}

export interface SettingWish {
  readonly key: string;
  /** As a person typed it: YAML, or words that are no YAML. */
  readonly text: string;
  readonly layer: "user" | "project";
}

/** A value and where it stands. What is built in stands in no file. */
export interface SettingOrigin {
  readonly layer: "built-in" | "system" | "user" | "provider" | "project";
  readonly file: string | null;
  readonly line: number | null;
  readonly value: unknown;
}

export interface SettingShown {
  readonly key: string;
  /** Null: for all of them that say nothing for themselves (E4). */
  readonly provider: string | null;
  readonly value: unknown;
  readonly origin: SettingOrigin;
  /** What it stands over, the highest first and the default last. */
  readonly overrides: readonly SettingOrigin[];
}

export interface ConfigFile {
  readonly file: string;
  readonly complaints: readonly Complaint[];
}

export interface SettingsShown {
  readonly values: readonly SettingShown[];
  /** Files that do not validate; nothing of them is in the values. */
  readonly wrong: readonly ConfigFile[];
}

export interface ConfigCheck {
  /** Files that are there and are read. */
  readonly checked: readonly string[];
  readonly wrong: readonly ConfigFile[];
  /** Files that nothing reads, and what was probably meant. */
  readonly strays: readonly Complaint[];
}

export interface SettingChange {
  readonly key: string;
  readonly file: string;
  /** What held before and what holds now, in all layers together. */
  readonly before: unknown;
  readonly after: unknown;
  /** Other files that do not validate any more. */
  readonly wrong: readonly ConfigFile[];
}

export function requireSetting(key: string): SettingLine {
  const lines = settingLines();
  const found = lines.find((line) => line.key === key);
  if (found) return found;
  const keys = lines.map((line) => line.key);
  const near = [...new Set([...within(key, keys), ...closest(key.slice(0, 100), keys)])].slice(0, 3);
  throw new Problem("E_SETTING_UNKNOWN", {
    what: `There is no setting ${oneLine(key, 60)}.`,
    why: near.length > 0 ? `Close to it: ${near.join(", ")}.` : "No setting is close to it.",
    next: [
      {
        cmd: near[0] ? `selvage config get ${near[0]}` : "selvage config show",
        why: near[0] ? "the closest" : "all of them",
      },
    ],
  });
}

/** Of a section, or of the last part of a name, the whole names. */
function within(key: string, keys: readonly string[]): string[] {
  return keys.filter((known) => known.startsWith(`${key}.`) || known.endsWith(`.${key}`));
}
