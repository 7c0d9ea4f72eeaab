/**
 * models.yaml: prices, windows and tiers, a project's over its user's, over the machine's, over the catalogue.
 *   M1. A project lowers no price that lies beneath it: a model that counts as cheaper than it is walks past the budget
 *       that its user set. It may raise one, and name one that nobody knows.
 *   M2. Another name for the same address and key is no way around M1.
 *   M3. Scripts cost nothing that is real: their prices are anybody's to say.
 */
import { join } from "node:path";
import { findModel, type ModelEntry, type ModelOverrides } from "../core/catalogue.ts";
import type { Complaint } from "../core/directive.ts";
import { entryOfFile, ModelFile, RATES } from "../core/model-file.ts";
import { showDollars } from "../core/money.ts";
import type { Rates } from "../core/price.ts";
import type { TierSaid } from "../core/tier.ts";
import { checkYaml } from "../yaml/check.ts";
import { readText } from "../yaml/file.ts";
import { type Path, type Place, parseYaml } from "../yaml/parse.ts";
import { type FileComplaints, InvalidConfig } from "./invalid.ts";
import { type ConfigLayer, configLayers } from "./layers.ts";
import { isMapping } from "./mapping.ts";
import { lookAtProviders, type ProviderPlaces } from "./providers.ts";
import { configHome } from "./user-folders.ts";

const FILE = "models.yaml";

export interface ModelsRead {
  readonly overrides: ModelOverrides;
  readonly tiers: ReadonlyMap<string, TierSaid>;
}

export interface ModelsLook extends ModelsRead {
  /** Files that do not validate. What they say is left out. */
  readonly wrong: readonly FileComplaints[];
}

/** Without a root: no project, or one that is not trusted, whose prices are not honoured (F7). */
export function readModels(root: string | undefined, places: ProviderPlaces = {}): ModelsRead {
  const { wrong, ...read } = lookAtModels(root, places);
  const [first] = wrong;
  if (first) throw new InvalidConfig("models", first);
  return read;
}

/** For who only looks: never throws. */
export function lookAtModels(root: string | undefined, places: ProviderPlaces = {}): ModelsLook {
  const { environment = process.env, userFolder = configHome(environment), systemFolder } = places;
  const read = configLayers(root, { userFolder, systemFolder }).map(readLayer);
  const layers = read.flatMap((layer) => ("models" in layer ? [layer] : []));
  const below = merged(layers.filter(({ name }) => name !== "project"));
  const judged = layers.map((layer) => ({
    ...layer,
    complaints: layer.name === "project" ? undercuts(layer, below, () => ownersOf(root, places)) : [],
  }));
  return {
    overrides: merged(judged.filter(({ complaints }) => complaints.length === 0)),
    tiers: new Map(judged.flatMap((layer) => (layer.complaints.length === 0 ? [...layer.tiers] : []))),
    wrong: [...read, ...judged].flatMap((layer) =>
      "complaints" in layer && layer.complaints.length > 0
        ? [{ file: layer.file, complaints: layer.complaints }]
        : [],
    ),
  };
}

interface Layer {
  readonly name: ConfigLayer["layer"];
  readonly file: string;
  readonly models: ModelOverrides;
  readonly tiers: ReadonlyMap<string, TierSaid>;
  readonly placeOf: (path: Path) => Place;
}

function readLayer({ layer, folder, shown }: ConfigLayer): Layer | FileComplaints {
  const path = join(folder, FILE);
  const file = shown(path);
  const read = readText(path);
  if ("refused" in read) return { file, complaints: [{ file, line: 1, column: 1, message: read.refused }] };
  const yaml = parseYaml({ file, text: "text" in read ? read.text : "" });
  if ("complaints" in yaml) return { file, complaints: yaml.complaints };
  const checked = checkYaml(yaml, ModelFile, withoutHeadings(yaml.value));
  if ("complaints" in checked) return { file, complaints: checked.complaints };
  const placeOf = (at: Path) => yaml.placeOf(at, "value");
  const originOf = (at: Path) => `${file}:${yaml.placeOf(at, "key").line}`;
  const { models, tiers } = checked.value;
  return {
    ...{ name: layer, file, placeOf },
    models: mapped(models, (entry, name) => entryOfFile(entry, originOf(["models", name]))),
    tiers: mapped(tiers, (model, tier) => ({ model, origin: originOf(["tiers", tier]) })),
  };
}

/** An empty file, or a heading over commented lines, says nothing. */
function withoutHeadings(value: unknown): unknown {
  if (!isMapping(value)) return value ?? {};
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

function mapped<T, R>(from: Readonly<Record<string, T>>, change: (value: T, name: string) => R) {
  return new Map(Object.entries(from).map(([name, value]) => [name, change(value, name)] as const));
}

/** Part by part, the later layers over the earlier ones. */
function merged(layers: readonly Layer[]): ModelOverrides {
  const all = new Map<string, ModelEntry>();
  for (const { models } of layers)
    for (const [name, entry] of models) all.set(name, { ...all.get(name), ...entry });
  return all;
}

/** M1. */
function undercuts(
  { file, models, placeOf }: Layer,
  below: ModelOverrides,
  owners: () => OwnerOf,
): Complaint[] {
  const complain = (path: Path, what: string, fix: string): Complaint => {
    const message = `${path.join(".")}: ${what}`;
    return { file, ...placeOf(path), message, fix };
  };
  const real = [...models].filter(([name]) => !name.startsWith("scripted/"));
  if (real.length === 0) return [];
  const ownerOf = owners();
  return real.flatMap(([name, entry]) => {
    const { provider, model, owner } = ownedName(name, ownerOf);
    if (owner !== provider && model === "*") {
      const what = `${provider} is ${owner} by another name, and not all of its models cost the same`;
      return [complain(["models", name], what, "name the models one by one")];
    }
    const floor = floorOf(`${owner}/${model}`, below);
    return RATES.flatMap((rate) => {
      const [given, least] = [entry[rate], floor[rate]];
      if (given === undefined || least === undefined || given >= least) return [];
      const what = `a project may raise a price, not lower it (${perMillion(least)} by ${floor.origin}): a model that counts as cheaper than it is walks past its budget`;
      return [complain(["models", name, rate], what, "remove it, or set it in your own models.yaml")];
    });
  });
}

/** M2. */
function ownedName(name: string, ownerOf: OwnerOf): { provider: string; model: string; owner: string } {
  const [, provider = "", model = ""] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
  return { provider, model, owner: ownerOf(provider) };
}

/** Also where it is no whole price yet. */
function floorOf(name: string, below: ModelOverrides): Partial<Rates> & { readonly origin: string } {
  const { price, origin } = findModel(name, below);
  return { ...below.get(name), ...price, origin };
}

type OwnerOf = (provider: string) => string;

/** M2: who, when the project is left out, has the address and a key of this provider. */
function ownersOf(root: string | undefined, places: ProviderPlaces): OwnerOf {
  const below = lookAtProviders(undefined, places).providers;
  const { providers } = lookAtProviders(root, places);
  return (id) => {
    const mine = providers.get(id);
    if (!mine || below.get(id)?.baseUrl === mine.baseUrl) return id;
    const variables = mine.keys.map(({ variable }) => variable);
    const owner = [...below.values()].find(
      ({ baseUrl, keys }) =>
        baseUrl === mine.baseUrl && keys.some(({ variable }) => variables.includes(variable)),
    );
    return owner?.id ?? id;
  };
}

function perMillion(rate: number): string {
  return showDollars(rate * 1_000_000);
}
