/**
 * providers.yaml: a project's over its user's, over the machine's, over the built-in providers.
 *   P1. A key goes only to an address that its owner named: a project that sets `base_url` gets no key of its user's.
 *   P2. The user's own variables (ANTHROPIC_BASE_URL, …) win over every file.
 */
import { join } from "node:path";
import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import {
  BUILT_IN,
  type Provider,
  ProviderEntry,
  type ProviderKey,
  type Providers,
} from "../core/provider.ts";
import { checkYaml } from "../yaml/check.ts";
import { readText } from "../yaml/file.ts";
import { type Place, parseYaml } from "../yaml/parse.ts";
import { type FileComplaints, InvalidConfig } from "./invalid.ts";
import { type ConfigLayer, type ConfigPlaces, configLayers } from "./layers.ts";
import { configHome } from "./user-folders.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const FILE = "providers.yaml";
const Entries = z.record(
  z.string().check(
    z.regex(/^[a-z0-9][a-z0-9._-]*$/, "expected lower-case letters, digits and . _ -"),
    z.refine((id) => id !== "scripted", "scripted models have no provider"),
  ),
  ProviderEntry,
);

interface Layer {
  readonly name: "built-in" | ConfigLayer["layer"];
  readonly file: string;
  readonly entries: Readonly<Record<string, ProviderEntry>>;
  readonly placeOf: (path: readonly string[]) => Place;
}

/** What a provider's entry says about retries, setting by setting. */
export interface RetrySaid {
  readonly provider: string;
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly value: unknown;
}

export interface ProviderPlaces extends ConfigPlaces {
  readonly environment?: Environment;
}

/** Without a root: no project, or one that is not trusted, whose providers are not honoured (F7). */
export function readProviders(root: string | undefined, places: ProviderPlaces = {}): Providers {
  const { providers, wrong } = lookAtProviders(root, places);
  const [first] = wrong;
  if (first) throw new InvalidConfig("providers", first);
  return providers;
}

export interface ProvidersLook {
  readonly providers: Providers;
  readonly wrong: readonly FileComplaints[];
  /** Highest first. */
  readonly retries: readonly RetrySaid[];
}

/** For who only looks: never throws. A file that does not validate is left out, and so is a provider that is not whole. */
export function lookAtProviders(
  root: string | undefined,
  { environment = process.env, ...places }: ProviderPlaces = {},
): ProvidersLook {
  const { userFolder = configHome(environment), systemFolder } = places;
  const read = configLayers(root, { userFolder, systemFolder }).map(readLayer);
  const layers = [builtIn(), ...read.flatMap((layer) => ("entries" in layer ? [layer] : []))];
  const ids = [...new Set(layers.flatMap(({ entries }) => Object.keys(entries)))];
  const own = layers.filter(({ name }) => name !== "project");
  const below = ids.flatMap((id) => resolved(id, own, environment, []));
  const all = ids.map((id) => resolve(id, layers, environment, below));
  const providers = all.flatMap((found) => (found && "id" in found ? [found] : []));
  const wrong = [...read, ...all].flatMap((found) => (found && "complaints" in found ? [found] : []));
  const retries = layers.flatMap(retriesIn).reverse();
  return { providers: new Map(providers.map((provider) => [provider.id, provider])), wrong, retries };
}

function retriesIn({ file, entries, placeOf }: Layer): RetrySaid[] {
  return Object.entries(entries).flatMap(([provider, { retry = {} }]) =>
    Object.entries(retry).map(([name, value]) => {
      const { line } = placeOf([provider, "retry", name]);
      return { provider, key: `retry.${name}`, file, line, value };
    }),
  );
}

function resolved(...found: Parameters<typeof resolve>): Provider[] {
  const provider = resolve(...found);
  return provider && "id" in provider ? [provider] : [];
}

function builtIn(): Layer {
  const entries = Object.fromEntries(Object.entries(BUILT_IN).map(([id, { entry }]) => [id, entry]));
  return { name: "built-in", file: "Selvage", entries, placeOf: () => ({ line: 1, column: 1 }) };
}

function readLayer({ layer, folder, shown }: ConfigLayer): Layer | FileComplaints {
  const path = join(folder, FILE);
  const file = shown(path);
  const read = readText(path);
  if ("refused" in read) return { file, complaints: [{ file, line: 1, column: 1, message: read.refused }] };
  const yaml = parseYaml({ file, text: "text" in read ? read.text : "" });
  if ("complaints" in yaml) return { file, complaints: yaml.complaints };
  const checked = checkYaml(yaml, Entries, yaml.value ?? {});
  if ("complaints" in checked) return { file, complaints: checked.complaints };
  return { name: layer, file, entries: checked.value, placeOf: (path) => yaml.placeOf(path, "value") };
}

/** Undefined: none of the layers has it. `below`: what stands without the project, and owns its keys. */
function resolve(
  id: string,
  layers: readonly Layer[],
  environment: Environment,
  below: readonly Provider[],
): Provider | FileComplaints | undefined {
  const speaking = layers.filter(({ entries }) => Object.hasOwn(entries, id));
  const top = speaking.at(-1);
  if (!top) return undefined;
  const options = speaking.map(({ entries }) => entries[id] ?? {}).reduce(merged, {});
  const own = ownAddress(id, environment);
  const { protocol, base_url = own?.baseUrl } = options;
  if (!protocol || base_url === undefined) {
    const missing = protocol ? "base_url" : "protocol";
    return { file: top.file, complaints: [complaint(top, [id, missing], `${id}.${missing} is missing`)] };
  }
  const { baseUrl, addressSaidBy } = own ?? { baseUrl: base_url, addressSaidBy: top.file };
  const provider = { id, protocol, options, baseUrl: baseUrl.replace(/\/+$/, ""), addressSaidBy };
  const keys = keysOf(provider, speaking, below);
  return "complaints" in keys ? keys : { ...provider, ...keys };
}

function complaint({ file, placeOf }: Layer, path: readonly string[], message: string): Complaint {
  return { file, ...placeOf(path), message };
}

function merged(below: ProviderEntry, above: ProviderEntry): ProviderEntry {
  const { retry, ...all } = { ...below, ...above };
  return retry === undefined ? all : { ...all, retry: { ...below.retry, ...above.retry } };
}

type Keyless = Omit<Provider, "keys">;

function keysOf(
  provider: Keyless,
  speaking: readonly Layer[],
  below: readonly Provider[],
): Pick<Provider, "keys" | "keyWithheld"> | FileComplaints {
  const { id, options, baseUrl } = provider;
  const named = speaking.findLast(({ entries }) => entries[id]?.key_env !== undefined);
  if (!named || options.key_env === undefined) return { keys: [] };
  const keys = [options.key_env].flat().map((variable) => ({ variable, saidBy: named.file }));
  if (named.name === "project") return refusedRedirect(provider, keys, named, below) ?? { keys };
  const mover = speaking.find(
    ({ name, entries }) => name === "project" && entries[id]?.base_url !== undefined,
  );
  const isMoved = mover && below.find((other) => other.id === id)?.baseUrl !== baseUrl;
  return isMoved ? { keys: [], keyWithheld: withheld(keys, mover.file) } : { keys };
}

/** P1, for a project that names a variable which is somebody else's. */
function refusedRedirect(
  provider: Keyless,
  keys: readonly ProviderKey[],
  layer: Layer,
  below: readonly Provider[],
): FileComplaints | undefined {
  const complaints = keys.flatMap(({ variable }) => {
    const owners = below.filter((other) => other.keys.some((key) => key.variable === variable));
    if (owners.length === 0 || owners.some(({ baseUrl }) => baseUrl === provider.baseUrl)) return [];
    const message = `${variable} is the key of ${owners[0]?.id}: a project may not send it to another address`;
    return [complaint(layer, [provider.id, "key_env"], message)];
  });
  return complaints.length > 0 ? { file: layer.file, complaints } : undefined;
}

function withheld(keys: readonly ProviderKey[], file: string): string {
  const variables = keys.map(({ variable }) => variable).join(" and ");
  const are = keys.length > 1 ? "are" : "is";
  return `no key was sent: ${file} sets base_url, and ${variables} ${are} not the project's; its own key_env would be sent`;
}

/** P2. Whether it is an address is asked when the provider is: other models must not suffer from it. */
function ownAddress(
  id: string,
  environment: Environment,
): Pick<Provider, "baseUrl" | "addressSaidBy"> | undefined {
  const variable = Object.hasOwn(BUILT_IN, id) ? BUILT_IN[id]?.addressVariable : undefined;
  const baseUrl = variable === undefined ? undefined : environment[variable]?.trim();
  return variable && baseUrl ? { baseUrl, addressSaidBy: variable } : undefined;
}
