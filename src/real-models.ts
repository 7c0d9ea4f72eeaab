/** The models of a project, its user and the machine: how they are reached, what they cost, and what tiers mean. */
import { readModels } from "./config/models.ts";
import type { SettingsRead } from "./config/settings.ts";
import type { Model } from "./core/model.ts";
import type { Providers } from "./core/provider.ts";
import { hasKey, modelOfTier } from "./core/tier.ts";
import type { World } from "./core/world.ts";
import { realClock } from "./machine/index.ts";
import { type ModelSources, modelFor, requireModel } from "./provider/models.ts";

export interface RealModels extends Pick<World, "model"> {
  /** Throws a Problem when the model cannot be used. */
  requireModel(name: string): void;
  /** The variables that are set and hold keys for a model. */
  keyVariables(model: string): readonly string[];
  /** The model that a tier means here; throws a Problem when it means none. */
  modelOfTier(tier: string): string;
}

export interface ModelSurroundings {
  readonly root: string;
  readonly trustedRoot: string | undefined;
  readonly read: Omit<SettingsRead, "origins">;
  readonly providers: Providers;
  /** Those of the program that opened the project. */
  readonly handed: ReadonlyMap<string, Model>;
  /** Says what to do with files that do not validate: throws, or tells and goes on without them. */
  readonly forgiving: <T>(read: () => T) => T | undefined;
}

export function readRealModels(surroundings: ModelSurroundings): RealModels {
  const { root, trustedRoot, read, providers, forgiving, handed } = surroundings;
  const { settings, retryFor } = read;
  const models = forgiving(() => readModels(trustedRoot));
  const { overrides = new Map(), tiers: said = new Map() } = models ?? {};
  const sources: ModelSources = {
    projectRoot: root,
    clock: realClock,
    settings,
    providers,
    retryFor,
    overrides,
  };
  const found = modelFor(sources);
  return {
    model: (name) => handed.get(name) ?? found(name),
    requireModel: (name) => {
      if (!handed.has(name)) requireModel(sources, name);
    },
    keyVariables: (name) => {
      const { keys = [] } = providers.get(name.split("/", 1)[0] ?? "") ?? {};
      return keys.map(({ variable }) => variable).filter((variable) => process.env[variable]?.trim());
    },
    modelOfTier: (tier) =>
      modelOfTier(tier, { said, hasKey: (id) => hasKey(providers.get(id), process.env) }),
  };
}
