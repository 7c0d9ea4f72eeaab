/**
 * providers.yaml: a project's over its user's over the built-in providers.
 *   P1. A key goes only to an address that its owner named: a project that sets `base_url` gets no key of its user's.
 *   P2. The user's own variables (ANTHROPIC_BASE_URL, …) win over every file.
 */
import { join, relative } from "node:path";
import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { Problem } from "../core/problem.ts";
import { BUILT_IN, type Provider, ProviderEntry, type Providers } from "../core/provider.ts";
import { checkYaml } from "../yaml/check.ts";
import { complaintText } from "../yaml/complaint.ts";
import { readText } from "../yaml/file.ts";
import { parseYaml } from "../yaml/parse.ts";
import { configHome } from "./state-home.ts";

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
  readonly name: "built-in" | "user" | "project";
  readonly file: string;
  readonly entries: Readonly<Record<string, ProviderEntry>>;
  readonly complain: (id: string, key: string, message: string) => Complaint;
}

export interface ProviderPlaces {
  readonly environment?: Environment;
  readonly userFolder?: string;
}

/** Without a root: no project, or one that is not trusted, whose providers are not honoured (F7). */
export function readProviders(
  root: string | undefined,
  { environment = process.env, userFolder = configHome(environment) }: ProviderPlaces = {},
): Providers {
  const layers = [builtIn(), readLayer("user", join(userFolder, FILE))];
  if (root !== undefined) layers.push(readLayer("project", join(root, ".ai/config", FILE), root));
  const ids = new Set(layers.flatMap(({ entries }) => Object.keys(entries)));
  const below = [...ids].flatMap((id) => resolve(id, layers.slice(0, 2), environment, []) ?? []);
  const all = [...ids].flatMap((id) => resolve(id, layers, environment, below) ?? []);
  return new Map(all.map((provider) => [provider.id, provider]));
}

function builtIn(): Layer {
  const entries = Object.fromEntries(Object.entries(BUILT_IN).map(([id, { entry }]) => [id, entry]));
  const complain = (_: string, __: string, message: string) => ({ file: "", line: 1, column: 1, message });
  return { name: "built-in", file: "Selvage", entries, complain };
}

function readLayer(name: Layer["name"], path: string, root?: string): Layer {
  const file = root === undefined ? path : relative(root, path);
  const read = readText(path);
  if ("refused" in read) throw invalid(file, `${file}: ${read.refused}`);
  const yaml = parseYaml({ file, text: "text" in read ? read.text : "" });
  if ("complaints" in yaml) throw invalid(file, complaintText(yaml.complaints));
  const checked = checkYaml(yaml, Entries, yaml.value ?? {});
  if ("complaints" in checked) throw invalid(file, complaintText(checked.complaints));
  const complain = (id: string, key: string, message: string) => ({
    file,
    ...yaml.placeOf([id, key], "value"),
    message,
  });
  return { name, file, entries: checked.value, complain };
}

/** Undefined: none of the layers has it. `below`: what stands without the project, and owns its keys. */
function resolve(
  id: string,
  layers: readonly Layer[],
  environment: Environment,
  below: readonly Provider[],
): Provider | undefined {
  const speaking = layers.filter(({ entries }) => Object.hasOwn(entries, id));
  const top = speaking.at(-1);
  if (!top) return undefined;
  const options: ProviderEntry = Object.assign({}, ...speaking.map(({ entries }) => entries[id]));
  const own = ownAddress(id, environment);
  const { protocol, base_url = own?.baseUrl } = options;
  if (!protocol || base_url === undefined) {
    const missing = protocol ? "base_url" : "protocol";
    throw invalid(top.file, complaintText([top.complain(id, missing, `${id}.${missing} is missing`)]));
  }
  const { baseUrl, addressSaidBy } = own ?? { baseUrl: base_url, addressSaidBy: top.file };
  const provider = { id, protocol, options, baseUrl: baseUrl.replace(/\/+$/, ""), addressSaidBy };
  return { ...provider, ...keyOf(provider, speaking, below) };
}

function keyOf(
  provider: Provider,
  speaking: readonly Layer[],
  below: readonly Provider[],
): Pick<Provider, "key" | "keyWithheld"> {
  const { id, options, baseUrl } = provider;
  const named = speaking.findLast(({ entries }) => entries[id]?.key_env !== undefined);
  if (!named || options.key_env === undefined) return {};
  const key = { variable: options.key_env, saidBy: named.file };
  if (named.name === "project") {
    refuseRedirect(provider, key.variable, named, below);
    return { key };
  }
  const mover = speaking.find(
    ({ name, entries }) => name === "project" && entries[id]?.base_url !== undefined,
  );
  const isMoved = mover && below.find((other) => other.id === id)?.baseUrl !== baseUrl;
  return isMoved ? { keyWithheld: withheld(key.variable, mover.file) } : { key };
}

/** P1, for a project that names a variable which is somebody else's. */
function refuseRedirect(
  provider: Provider,
  variable: string,
  layer: Layer,
  below: readonly Provider[],
): void {
  const owners = below.filter(({ key }) => key?.variable === variable);
  if (owners.length === 0 || owners.some(({ baseUrl }) => baseUrl === provider.baseUrl)) return;
  const message = `${variable} is the key of ${owners[0]?.id}: a project may not send it to another address`;
  throw invalid(layer.file, complaintText([layer.complain(provider.id, "key_env", message)]));
}

function withheld(variable: string, file: string): string {
  return `no key was sent: ${file} sets base_url, and ${variable} is not the project's; its own key_env would be sent`;
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

function invalid(file: string, why: string): Problem {
  return new Problem("E_CONFIG_INVALID", { what: `The providers in ${file} do not validate.`, why });
}
