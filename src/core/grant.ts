/** Rights as they are declared and handed on; what a thread may do with them follows in rights.ts. */

/** What a directive says. Full rights, as `parseRight` gives them. */
export interface Declared {
  /** May be used and handed on. */
  readonly permissions: readonly string[];
  /** May be used and handed on, and a person is asked before each use (L7). */
  readonly ask: readonly string[];
  /** May only be handed on. */
  readonly delegates: readonly string[];
}

/** One thread that stands above another, as it was when the next one was started. */
interface Above {
  readonly thread_id: string;
  readonly directive: string;
  readonly hands_on: readonly string[];
  readonly ask: readonly string[];
}

/** A right that was taken away again. */
export interface Revocation {
  readonly right: string;
  readonly by: string;
  /** The thread it was taken from: the one that says so, or one above. */
  readonly from: string;
}

/** As it is written down when a thread comes into being: only what was said, so that the rest can be worked out again. */
export interface Grant extends Declared {
  /** From the root down to the parent; nobody for a root. */
  readonly above: readonly Above[];
  /** What had been taken from those above by then. */
  readonly revoked: readonly Revocation[];
}

/** What a person's start gives: what the directive declares, and nothing else (R1). */
export function mint({ permissions, ask, delegates }: Declared): Grant {
  return { permissions, ask, delegates, above: [], revoked: [] };
}
