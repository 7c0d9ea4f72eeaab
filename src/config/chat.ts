/**
 * chat.yaml: a project's over its user's, over the machine's, over the defaults.
 *   C1. A project names no more people than stand without it: who may approve is its user's to say (E9).
 *   C2. A token goes only where its owner sends it: a project neither says where a platform is reached, nor hands it a key
 *       of a provider's.
 *   C3. Tokens stand in environment variables, never in the file.
 */
import { join } from "node:path";
import { LOCAL } from "../core/chat-access.ts";
import { ChatFile, type ChatSettings, chatLines, chatSettings } from "../core/chat-file.ts";
import type { Complaint } from "../core/directive.ts";
import { oneLine } from "../core/text.ts";
import { checkYaml } from "../yaml/check.ts";
import { readText } from "../yaml/file.ts";
import { type Path, type Place, parseYaml } from "../yaml/parse.ts";
import { type FileComplaints, InvalidConfig } from "./invalid.ts";
import { type ConfigLayer, configLayers } from "./layers.ts";
import { isMapping } from "./mapping.ts";
import { lookAtProviders, type ProviderPlaces } from "./providers.ts";
import { configHome } from "./user-folders.ts";

const FILE = "chat.yaml";

/** Without a root: no project, or one that is not trusted, whose chat is not honoured (F7). */
export async function readChat(root: string | undefined, places: ProviderPlaces = {}): Promise<ChatSettings> {
  const { environment = process.env, userFolder = configHome(environment), systemFolder } = places;
  const layers = configLayers(root, { userFolder, systemFolder }).map(readLayer);
  const below = chatSettings(layers.flatMap(({ name, says }) => (name === "project" ? [] : [says])));
  const keys = keysOfProviders(places);
  for (const layer of layers) {
    if (layer.name !== "project") continue;
    const complaints = [...widenings(layer, below), ...strayTokens(layer, below, keys)];
    if (complaints.length > 0) throw new InvalidConfig(HOLDS, { file: layer.file, complaints });
  }
  const settings = chatSettings(layers.map(({ says }) => says));
  for (const layer of layers) {
    const complaints = strayPlaces(layer, settings);
    if (complaints.length > 0) throw new InvalidConfig(HOLDS, { file: layer.file, complaints });
  }
  return settings;
}

const HOLDS = "chat settings";

interface Layer {
  readonly name: ConfigLayer["layer"];
  readonly file: string;
  readonly says: ChatFile;
  readonly placeOf: (path: Path) => Place;
}

function readLayer({ layer, folder, shown }: ConfigLayer): Layer {
  const path = join(folder, FILE);
  const file = shown(path);
  const invalid = (complaints: FileComplaints["complaints"]) =>
    new InvalidConfig(HOLDS, { file, complaints });
  const read = readText(path);
  if ("refused" in read) throw invalid([{ file, line: 1, column: 1, message: read.refused }]);
  const yaml = parseYaml({ file, text: "text" in read ? read.text : "" });
  if ("complaints" in yaml) throw invalid(yaml.complaints);
  const checked = checkYaml(yaml, ChatFile, withoutHeadings(yaml.value));
  if ("complaints" in checked) throw invalid(checked.complaints);
  return { name: layer, file, says: checked.value, placeOf: (at) => yaml.placeOf(at, "value") };
}

/** An empty file, or a heading over commented lines, says nothing. */
function withoutHeadings(value: unknown): unknown {
  if (!isMapping(value)) return value ?? {};
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

/** C1. */
function widenings({ file, says, placeOf }: Layer, below: ChatSettings): Complaint[] {
  return chatLines().flatMap(({ key, narrows }) => {
    const path = key.split(".");
    const [value, most] = [valueAt(says, path), valueAt(below, path)];
    if (!narrows || value === undefined || narrows.allows(most, value)) return [];
    const message = `${key}: ${narrows.says}: without it, it is ${oneLine(JSON.stringify(most), 80)}; your own chat.yaml, in $XDG_CONFIG_HOME/selvage/, may say more`;
    return [{ file, ...placeOf(path), message, fix: `remove it, or say it in your own ${FILE}` }];
  });
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (isMapping(value) ? value[step] : undefined), root);
}

/** C2. */
function strayTokens(
  { file, says, placeOf }: Layer,
  below: ChatSettings,
  keys: ReadonlySet<string>,
): Complaint[] {
  return Object.entries(says.platforms ?? {}).flatMap(([name, { env, options }]) => {
    const own = Object.hasOwn(below.platforms, name) ? below.platforms[name] : undefined;
    const moved = Object.entries(options).filter(
      ([option, value]) => /:\/\/|^[\w.-]+:\d+$/.test(String(value)) && own?.options[option] !== value,
    );
    const lent = Object.entries(env).filter(([, variable]) => keys.has(variable));
    return [
      ...moved.map(([option]) => ({
        ...{ file, ...placeOf(["platforms", name, "options", option]) },
        message: `platforms.${name}.options.${option}: a project may not say where a platform is reached, for its token would go there`,
        fix: `say it in your own ${FILE}`,
      })),
      ...lent.map(([option, variable]) => ({
        ...{ file, ...placeOf(["platforms", name, "env", option]) },
        message: `platforms.${name}.env.${option}: ${variable} is the key of a provider, and no chat platform gets it`,
        fix: "name a variable that holds this platform's token",
      })),
    ];
  });
}

/** What no platform that is named could ever say. */
function strayPlaces({ file, says, placeOf }: Layer, { platforms }: ChatSettings): Complaint[] {
  return (says.schedules ?? []).flatMap(({ place }, at) => {
    const [name = ""] = place.split(":", 1);
    if (name === LOCAL || Object.hasOwn(platforms, name)) return [];
    const known = [...Object.keys(platforms), LOCAL].join(", ");
    return [
      {
        ...{ file, ...placeOf(["schedules", at, "place"]) },
        message: `schedules[${at}].place: there is no platform ${name}; there is ${known}`,
        fix: `name it under platforms, or say another place`,
      },
    ];
  });
}

/** Of those that stand without the project. */
function keysOfProviders(places: ProviderPlaces): ReadonlySet<string> {
  const { providers } = lookAtProviders(undefined, places);
  return new Set([...providers.values()].flatMap(({ keys }) => keys.map(({ variable }) => variable)));
}
