/**
 * What is known about a model by its name: price, window, longest answer (B5). The catalogue is data; models.yaml stands
 * over it, part by part. What is said about a model itself stands over what is said about the one it is a dated version
 * of, and that over what is said about all models of its provider (`provider/*`).
 */
import { CATALOGUE, CATALOGUE_DATE, type CatalogueRow, SCRIPTED_PRICE } from "./catalogue-rows.ts";
import type { Price, Rates } from "./price.ts";
import { oneLine } from "./text.ts";

const UNKNOWN_WINDOW = 200_000;

/** What one source says about a model; rates are nano-dollars per token. */
export interface ModelEntry extends Partial<Rates> {
  readonly long?: Price["long"];
  readonly window?: number | undefined;
  readonly maxOutput?: number | undefined;
  /** Who says so, for people. */
  readonly origin: string;
}

/** By `provider/model` or `provider/*`. */
export type ModelOverrides = ReadonlyMap<string, ModelEntry>;

export interface ModelFacts {
  /** Undefined: nobody knows. That is not the same as nothing. */
  readonly price?: Price | undefined;
  readonly window: number;
  readonly maxOutput?: number | undefined;
  readonly origin: string;
}

export function findModel(name: string, overrides: ModelOverrides = new Map()): ModelFacts {
  const entries = namesOf(name).flatMap((each) =>
    [overrides.get(each) ?? [], builtIn.get(each) ?? []].flat(),
  );
  const say = <K extends keyof ModelEntry>(part: K): ModelEntry[K] | undefined =>
    entries.find((entry) => entry[part] !== undefined)?.[part];
  const price = priceOf({
    input: say("input"),
    cache_read: say("cache_read"),
    cache_write: say("cache_write"),
    output: say("output"),
  });
  const [long, maxOutput] = [say("long"), say("maxOutput")];
  return {
    ...(price ? { price: long ? { ...price, long } : price } : {}),
    window: say("window") ?? UNKNOWN_WINDOW,
    ...(maxOutput === undefined ? {} : { maxOutput }),
    origin: entries[0]?.origin ?? "unknown",
  };
}

/** The line of models.yaml that gives a model a price; its figures are an example. */
export function priceLine(name: string): string {
  return `models: { ${JSON.stringify(oneLine(name, 200))}: { input: 3.00, output: 15.00 } }`;
}

type Said = { readonly [K in keyof Rates]: number | undefined };

/** What nobody says about a cache is taken to cost what it costs where it costs most. */
function priceOf({ input, output, cache_read, cache_write }: Said): Price | undefined {
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    cache_read: cache_read ?? input,
    cache_write: cache_write ?? Math.ceil(input * 1.25),
    output,
  };
}

const DATE = /-(\d{8}|\d{4}-\d{2}-\d{2})$/;

/** The nearest first. */
function namesOf(name: string): string[] {
  const [provider = ""] = name.split("/", 1);
  return [...new Set([name, name.replace(DATE, ""), `${provider}/*`])];
}

const builtIn: ModelOverrides = new Map([
  ...CATALOGUE.map((row): [string, ModelEntry] => [row.name, entryOf(row)]),
  ["scripted/*", { ...SCRIPTED_PRICE, origin: "built in" }],
]);

function entryOf({ price, window, maxOutput }: CatalogueRow): ModelEntry {
  return { ...price, window, maxOutput, origin: `catalogue of ${CATALOGUE_DATE}` };
}
