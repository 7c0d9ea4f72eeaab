/** Every file of the configuration, read and judged. Nothing is run, so a project that is not trusted may be looked at. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { closest } from "../core/closest.ts";
import type { ConfigCheck, ConfigFile } from "../core/configuration.ts";
import type { Complaint } from "../core/directive.ts";
import { oneLine } from "../core/text.ts";
import { InvalidConfig } from "./invalid.ts";
import { type ConfigLayer, type ConfigPlaces, configLayers } from "./layers.ts";
import { lookAtModels } from "./models.ts";
import { lookAtProviders } from "./providers.ts";
import { lookAtSettings } from "./settings.ts";
import { SETTINGS_FILES, SETTINGS_JSON } from "./settings-file.ts";

/** Throws `InvalidConfig` for the first file of its kind that does not validate. */
type ConfigReader = (root: string | undefined, places: ConfigPlaces) => Promise<unknown>;

/** Files with a reader of their own, by name. */
export type ConfigReaders = Readonly<Record<string, ConfigReader>>;

export async function checkConfig(
  root: string | undefined,
  readers: ConfigReaders,
  places: ConfigPlaces = {},
): Promise<ConfigCheck> {
  const layers = configLayers(root, places);
  const known = [...Object.keys(SETTINGS_FILES), "providers.yaml", "models.yaml", ...Object.keys(readers)];
  const others = await Promise.all(Object.values(readers).map((read) => wrongWith(read, root, places)));
  return {
    checked: layers.flatMap((layer) => filesIn(layer, known)),
    wrong: [
      ...lookAtSettings(root, places).wrong,
      ...lookAtProviders(root, places).wrong,
      ...lookAtModels(root, places).wrong,
      ...others.flat(),
    ],
    strays: layers.flatMap((layer) => straysIn(layer, known)),
  };
}

/** Without the project too: a file of the user's that does not validate would hide the project's. */
async function wrongWith(
  read: ConfigReader,
  root: string | undefined,
  places: ConfigPlaces,
): Promise<ConfigFile[]> {
  const found = new Map<string, ConfigFile>();
  for (const from of root === undefined ? [undefined] : [undefined, root]) {
    try {
      await read(from, places);
    } catch (error) {
      // That a file does not validate is the answer here.
      if (!(error instanceof InvalidConfig)) throw error;
      found.set(error.found.file, error.found);
    }
  }
  return [...found.values()];
}

function filesIn({ folder, settingsJson, shown }: ConfigLayer, known: readonly string[]): string[] {
  const there = namesIn(folder).filter((name) => known.includes(name));
  const json = namesIn(join(settingsJson, "..")).includes(SETTINGS_JSON) ? [shown(settingsJson)] : [];
  return [...json, ...there.map((name) => shown(join(folder, name)))];
}

/** Notes and hidden files are nobody's settings. */
function straysIn({ folder, settingsJson, shown }: ConfigLayer, known: readonly string[]): Complaint[] {
  const files = namesIn(folder).filter((name) => /\.(ya?ml|json)$/.test(name) && !known.includes(name));
  return files
    .filter((name) => join(folder, name) !== settingsJson)
    .map((name) => {
      const [near] = closest(name.slice(0, 100), known);
      const meant = name === SETTINGS_JSON ? shown(settingsJson) : near;
      const hint = meant ? `did you mean ${meant}?` : `read are: ${known.join(", ")}`;
      const place = { file: shown(join(folder, oneLine(name, 100))), line: 1, column: 1 };
      return {
        ...place,
        message: `nothing reads this file; ${hint}`,
        fix: meant ? `name it ${meant}` : "remove it",
      };
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .sort();
  } catch {
    // Not there, or not ours to read: then nothing is read from it.
    return [];
  }
}
