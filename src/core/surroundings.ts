/** What surrounds a project on this machine, as far as somebody looks who wants to know why it does not work. */

export interface RuntimeFacts {
  readonly node: string;
  /** The oldest that we run on. */
  readonly nodeFloor: string;
  readonly platform: string;
  readonly sqlite: string;
  /** Several processes may write one store with it. */
  readonly sqliteIsSafe: boolean;
}

export interface FolderFacts {
  readonly isWritable: boolean;
  readonly freeBytes: number | null;
  /** Temporary files that a crash left behind, from the project's root. */
  readonly leftovers: readonly string[];
  /** Null: nothing here is kept in git. */
  readonly isIgnored: boolean | null;
  /** How the store writes; null when there is none. */
  readonly journalMode: string | null;
  readonly storeBytes: number;
}

export interface ProviderFacts {
  readonly id: string;
  readonly address: string;
  readonly keys: readonly { readonly variable: string; readonly isSet: boolean }[];
  readonly keyWithheld: string | null;
}

export type Reached = { readonly ms: number; readonly date: number | null } | { readonly failed: string };

export interface Surroundings {
  runtime(): RuntimeFacts;
  folder(root: string): FolderFacts;
  /** Without a root: of the user and the machine. */
  providers(trustedRoot: string | undefined): readonly ProviderFacts[];
  /** Whether anybody answers there; no key is sent. */
  reach(address: string): Promise<Reached>;
  /** Removes what a crash left behind, and keeps threads out of git; says what was done. */
  mend(root: string): readonly string[];
}
