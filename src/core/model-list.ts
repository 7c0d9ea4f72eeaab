/** Models as people look at them: what they cost, how much they hold, and who says so. */
import type { ConfigFile } from "./configuration.ts";
import type { Price } from "./price.ts";

export interface ModelShown {
  /** `provider/model`; `provider/*` for all that nothing else is known about. */
  readonly name: string;
  /** Null: nobody knows. */
  readonly price: Price | null;
  readonly window: number;
  readonly maxOutput: number | null;
  /** The tiers that mean it here. */
  readonly tiers: readonly string[];
  readonly origin: string;
  /** Whether its provider can be asked: it is declared, and has its key or wants none. */
  readonly ready: boolean;
}

export interface ModelList {
  readonly models: readonly ModelShown[];
  /** Files that do not validate; nothing of them is in the list. */
  readonly wrong: readonly ConfigFile[];
}
