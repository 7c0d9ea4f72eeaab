/** Tiers (B5): models by what they are for. A key that is missing never makes a script of a model. */
import { BUILT_IN_TIERS } from "./catalogue-rows.ts";
import { closest } from "./closest.ts";
import { Problem } from "./problem.ts";
import type { Provider } from "./provider.ts";
import { oneLine } from "./text.ts";

export interface TierSaid {
  readonly model: string;
  /** Who says so, for people. */
  readonly origin: string;
}

export interface Tiers {
  /** What models.yaml says. */
  readonly said: ReadonlyMap<string, TierSaid>;
  /** Whether a provider can be asked. */
  readonly hasKey: (provider: string) => boolean;
}

/** Whether a provider can be asked as far as keys go: it is declared, and one is set or it wants none. */
export function hasKey(
  provider: Provider | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (!provider || provider.keyWithheld !== undefined) return false;
  const { keys } = provider;
  return keys.length === 0 || keys.some(({ variable }) => (environment[variable]?.trim() ?? "") !== "");
}

const FILE = ".ai/config/models.yaml";
const BUILT_IN = [...new Set(Object.values(BUILT_IN_TIERS).flatMap((tiers) => Object.keys(tiers)))];

/** All names that mean something here, with the model they mean; null: it has none until a key is set. */
export function knownTiers({ said, hasKey }: Tiers): ReadonlyMap<string, TierSaid | null> {
  const provider = Object.keys(BUILT_IN_TIERS).find(hasKey);
  const own = provider === undefined ? {} : BUILT_IN_TIERS[provider];
  const builtIn = BUILT_IN.map((tier): [string, TierSaid | null] => {
    const model = own?.[tier];
    return [tier, model === undefined ? null : { model, origin: "built in" }];
  });
  return new Map([...builtIn, ...said]);
}

/** Throws a Problem that names the line to add. */
export function modelOfTier(tier: string, tiers: Tiers): string {
  const known = knownTiers(tiers);
  const found = known.get(tier);
  if (found) return found.model;
  const name = oneLine(tier, 40);
  if (found === undefined) throw unknownTier(name, [...known.keys()]);
  throw new Problem("E_AUTH", {
    what: `The tier ${name} has no model.`,
    why: `No key was found for ${Object.keys(BUILT_IN_TIERS).join(" or ")}, and no models.yaml names a model for it.`,
    next: [
      { cmd: "export ANTHROPIC_API_KEY=…", why: "or OPENAI_API_KEY; then the tier has a model of theirs" },
      { cmd: tierLine(name), why: `in ${FILE}, for a model of your own` },
    ],
  });
}

function unknownTier(name: string, known: readonly string[]): Problem {
  const [near] = closest(name, known);
  return new Problem("E_MODEL_UNKNOWN", {
    what: `There is no tier ${name}.`,
    why: near ? `Close to it: ${near}.` : `There are: ${known.join(", ")}.`,
    next: [{ cmd: tierLine(name), why: `in ${FILE}: then there is one` }],
  });
}

function tierLine(tier: string): string {
  return `tiers: { ${tier}: PROVIDER/MODEL }`;
}
