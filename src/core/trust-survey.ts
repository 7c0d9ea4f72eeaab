/** What a yes to a project covers, file by file, for the person who is asked (F7, K5). */

export type CoveredKind =
  | "tool"
  | "hooks"
  | "providers"
  | "config"
  | "settings"
  | "mcp"
  | "directive"
  | "code";

/** In the place of a hash: too large to be looked through, so nobody can say yes to it. */
export const UNHASHED = "unhashed";

export interface CoveredFile {
  readonly path: string;
  readonly kind: CoveredKind;
  /** Since the last yes; undefined: as it was. All are new when there never was one. */
  readonly change?: "new" | "changed" | "gone" | undefined;
  /** Of what counts in it; null when it is gone. */
  readonly hash: string | null;
  /** What it would do, a line each. */
  readonly means: readonly string[];
}

/** A variable of the user's environment that a file of the project asks for. */
export interface AskedVariable {
  readonly name: string;
  readonly isSet: boolean;
  /** Who gets to see it. */
  readonly use: string;
  readonly path: string;
}

export interface TrustSurvey {
  /** When this path and store were last said yes to; null: never. */
  readonly trustedAt: string | null;
  readonly files: readonly CoveredFile[];
  readonly variables: readonly AskedVariable[];
}
