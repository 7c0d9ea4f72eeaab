/** Models by name, `provider/model`, and never one in the place of another. */
import { createHash } from "node:crypto";
import { findModel, type ModelOverrides } from "../core/catalogue.ts";
import { closest } from "../core/closest.ts";
import type { Model } from "../core/model.ts";
import { Problem } from "../core/problem.ts";
import {
  addressProblem,
  type Provider,
  type ProviderEntry,
  type Providers,
  streamsText,
} from "../core/provider.ts";
import type { Settings } from "../core/settings.ts";
import { oneLine } from "../core/text.ts";
import type { Clock } from "../core/world.ts";
import { readScript } from "./script-file.ts";
import { scriptedModel } from "./scripted.ts";

const SCRIPTED = "scripted";

export interface ModelSources {
  readonly projectRoot: string;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly providers: Providers;
  /** How failures of a provider are retried, with what it says for itself (E4). */
  readonly retryFor?: (retry: ProviderEntry["retry"]) => Settings["retry"];
  /** Prices and sizes over those of the catalogue. */
  readonly overrides?: ModelOverrides;
  /** Where keys are looked for, and proxies. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * The `model` port of the world. It never throws: no such model is undefined, and one that cannot be used answers
 * every request with that failure.
 */
export function modelFor(sources: ModelSources): (name: string) => Model | undefined {
  const known = new Map<string, Model>();
  return (name) => {
    const model = known.get(name) ?? load(sources, name);
    if ("problem" in model)
      return model.problem.code === "E_MODEL_UNKNOWN" ? undefined : broken(model.problem);
    known.set(name, model);
    return model;
  };
}

/** Throws when the model cannot be used, before a thread is made that would only fail. */
export function requireModel(sources: ModelSources, name: string): void {
  find(sources, name);
}

function load(sources: ModelSources, name: string): Model | { readonly problem: Problem } {
  try {
    return find(sources, name);
  } catch (cause) {
    // The loop asks for models in the middle of a turn, where a value is worth more than a throw.
    if (cause instanceof Problem) return { problem: cause };
    throw cause;
  }
}

function find(sources: ModelSources, name: string): Model {
  const [, id = name, modelName = ""] = /^([^/]*)\/(.*)$/s.exec(name) ?? [];
  const facts = factsOf(sources, name);
  if (id === SCRIPTED)
    return { ...scriptedModel(readScript(sources.projectRoot, modelName), sources), ...facts };
  const provider = sources.providers.get(id);
  if (!provider) throw unknownProvider(name, id, sources.providers);
  if (modelName.trim() === "") {
    const why = `A model is named ${id}/MODEL, as ${id} calls it.`;
    throw new Problem("E_MODEL_UNKNOWN", { what: `There is no model ${oneLine(name, 60)}.`, why });
  }
  return { ...remoteModel(sources, provider, modelName), ...facts };
}

function factsOf({ overrides }: ModelSources, name: string): Pick<Model, "price" | "window" | "maxOutput"> {
  const { price, window, maxOutput } = findModel(name, overrides);
  return { price, window, maxOutput };
}

/** HTTP and TLS are loaded with the first request: a start without one does not wait for them. */
function remoteModel(sources: ModelSources, provider: Provider, modelName: string): Model {
  const { settings, clock, environment = process.env } = sources;
  checkAddress(provider);
  const keys = keysOf(provider, environment);
  const gates = (keys.length > 0 ? keys : [""]).map((key) => gateName(provider.baseUrl, key));
  let asking: Promise<Model["ask"]> | undefined;
  return {
    streams: streamsText(provider),
    keys: Math.max(1, keys.length),
    gate: (key) => gates[key] ?? gates[0] ?? "",
    ...(sources.retryFor ? { retry: sources.retryFor(provider.options.retry) } : {}),
    async ask(request, on, signal) {
      asking ??= import("./remote.ts").then(({ remoteAsk }) =>
        remoteAsk({ provider, modelName, keys, settings, clock, environment }),
      );
      return (await asking)(request, on, signal);
    },
  };
}

/** One gate per key and address, whatever the projects of this process call them; the key itself is not in its name. */
function gateName(address: string, key: string): string {
  return `${address} ${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
}

/** What it says is not repeated: it may hold a password. */
function checkAddress({ id, baseUrl, addressSaidBy }: Provider): void {
  const why = addressProblem(baseUrl);
  if (!why) return;
  const what = `The address of ${id} cannot be used.`;
  throw new Problem("E_CONFIG_INVALID", { what, why: `It is named by ${addressSaidBy}; ${why}.` });
}

/** None: the provider wants none. Of several variables those that are set count; throws when none of them is. */
function keysOf({ id, keys }: Provider, environment: NodeJS.ProcessEnv): readonly string[] {
  const [first] = keys;
  const values = keys.map(({ variable }) => environment[variable]?.trim() ?? "");
  const set = [...new Set(values.filter((value) => value !== ""))];
  if (!first || set.length > 0) return set;
  const names = keys.map(({ variable }) => variable);
  const why =
    names.length === 1
      ? `The environment variable ${first.variable} is not set; it is named by ${first.saidBy}.`
      : `None of the environment variables ${names.join(", ")} is set; they are named by ${first.saidBy}.`;
  throw new Problem("E_AUTH", {
    what: `There is no key for ${id}.`,
    why,
    next: [{ cmd: `export ${first.variable}=…`, why: "set it, and run again" }],
  });
}

function unknownProvider(name: string, id: string, providers: Providers): Problem {
  const ids = [SCRIPTED, ...providers.keys()];
  const near = closest(id.slice(0, 100), ids).map((other) => `${other}/…`);
  const hint = near.length > 0 ? `Close to it: ${near.join(", ")}.` : `Known: ${ids.join(", ")}.`;
  return new Problem("E_MODEL_UNKNOWN", {
    what: `There is no model ${oneLine(name, 60)}.`,
    why: `No provider is called ${oneLine(id, 40) || "that"}. ${hint}`,
  });
}

/** Not cached: the person who mends the script or sets the key should not have to start again. */
function broken({ code, message, why }: Problem): Model {
  const kind = code === "E_SCRIPT_INVALID" ? "script" : "misuse";
  const failure = { kind, message: [message, why].filter(Boolean).join(" ") } as const;
  return { streams: false, unusable: failure.message, ask: async () => ({ type: "failure", failure }) };
}
