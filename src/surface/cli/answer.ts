/** What a command hands back. `main` prints it: as text for people, or as the one envelope for programs (UX a.3). */

export interface Answer {
  readonly kind: string;
  readonly exit: number;
  readonly data: unknown;
  /** For stdout, when people read. */
  readonly text?: string;
  /** For stderr, when people read: what to do next. */
  readonly hint?: string;
  readonly warnings?: readonly string[];
}

export function envelope({ kind, exit, data, warnings }: Answer) {
  return { v: 1, kind, ok: exit === 0, exit, data, warnings: warnings ?? [] };
}

export function errorEnvelope(exit: number, error: unknown) {
  return { v: 1, kind: "error", ok: false, exit, error, warnings: [] };
}
