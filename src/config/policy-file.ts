/**
 * A file of the configuration that is tried out on something recorded (X5): settings, error rules or hooks, in the shape
 * of `resilience.yaml`, `coordination.yaml`, `error_classification.yaml` and `hooks.yaml`, under any name.
 */
import { basename, dirname } from "node:path";
import type { Hook } from "../core/hook.ts";
import { Problem } from "../core/problem.ts";
import type { RuleSet } from "../core/rule.ts";
import { readText } from "../yaml/file.ts";
import { parseYaml } from "../yaml/parse.ts";
import { readErrorRules } from "./error-rules.ts";
import { hooksIn } from "./hooks.ts";
import { InvalidConfig } from "./invalid.ts";
import type { ConfigLayer } from "./layers.ts";
import { isMapping } from "./mapping.ts";
import { fileOf, parseSettings, type Statement } from "./settings-file.ts";

export interface Policy {
  /** Settings that it says, over all others. */
  readonly said: readonly Statement[];
  /** With its rules before all others. */
  readonly rules?: RuleSet;
  /** Hooks that take the place of those with their ids, or come along. */
  readonly hooks: readonly Hook[];
}

/** `trustedRoot`: the project whose rules lie below. Throws a Problem when the file does not validate. */
export async function readPolicy(path: string, trustedRoot: string | undefined): Promise<Policy> {
  const read = readText(path);
  if (!("text" in read)) {
    throw new Problem("E_USAGE", {
      what: `The policy ${path} cannot be read.`,
      why: "missing" in read ? "There is no such file." : `${read.refused}.`,
      next: [{ cmd: "selvage replay ID --policy .ai/config/resilience.yaml", why: "a file like this one" }],
    });
  }
  const yaml = parseYaml({ file: path, text: read.text });
  if ("complaints" in yaml) throw new InvalidConfig("settings", { file: path, complaints: yaml.complaints });
  const keys = isMapping(yaml.value) ? Object.keys(yaml.value) : [];
  const layer = layerOf(path);
  if (keys.includes("rules")) {
    const rules = await readErrorRules(trustedRoot, {}, [{ layer, name: basename(path) }]);
    return { said: [], rules, hooks: [] };
  }
  if (keys.includes("hooks")) return { said: [], hooks: await hooksIn(layer, basename(path)) };
  const home = keys.map(fileOf).find((name) => name !== undefined) ?? "resilience.yaml";
  const says = parseSettings(home, { file: path, text: read.text });
  if ("complaints" in says) throw new InvalidConfig("settings", { file: path, complaints: says.complaints });
  return { said: says.said, hooks: [] };
}

function layerOf(path: string): ConfigLayer {
  return { layer: "project", folder: dirname(path), settingsJson: path, shown: (shown) => shown };
}
