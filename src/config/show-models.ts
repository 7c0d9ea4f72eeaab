/** The models that this machine knows, for who looks at them. */
import { findModel } from "../core/catalogue.ts";
import { CATALOGUE } from "../core/catalogue-rows.ts";
import type { ModelList, ModelShown } from "../core/model-list.ts";
import { hasKey, knownTiers } from "../core/tier.ts";
import { lookAtModels } from "./models.ts";
import { lookAtProviders, type ProviderPlaces } from "./providers.ts";

/** Without a root: of the user and the machine. Never throws. */
export function showModels(
  root: string | undefined,
  { all }: { readonly all: boolean },
  places: ProviderPlaces = {},
): ModelList {
  const { environment = process.env } = places;
  const { overrides, tiers: said, wrong } = lookAtModels(root, places);
  const { providers, wrong: wrongProviders } = lookAtProviders(root, places);
  const isReady = (id: string) => id === "scripted" || hasKey(providers.get(id), environment);
  const tiers = [...knownTiers({ said, hasKey: isReady })];
  const meant = tiers.flatMap(([, tier]) => (tier ? [tier.model] : []));
  const named = new Set(["scripted/*", ...overrides.keys(), ...meant]);
  const shown = (name: string): ModelShown => {
    const { price = null, window, maxOutput = null, origin } = findModel(name, overrides);
    const own = tiers.flatMap(([tier, means]) => (means?.model === name ? [tier] : []));
    return { name, price, window, maxOutput, tiers: own, origin, ready: isReady(providerOf(name)) };
  };
  const models = [...new Set([...CATALOGUE.map(({ name }) => name), ...named])].map(shown);
  return {
    models: all ? models : models.filter(({ name, ready }) => ready || named.has(name)),
    wrong: [...wrong, ...wrongProviders],
  };
}

function providerOf(name: string): string {
  return name.split("/", 1)[0] ?? name;
}
