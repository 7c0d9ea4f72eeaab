/**
 * Who signed something, as text, and whether this user knows them.
 *   G1. A signer is a public key, written one way only: no two texts are the same key.
 *   G2. Knowing a signer is a person's act, and says nothing about what a project may run (F7).
 */

// The last letter of 32 or 64 bytes in base64 has bits that mean nothing: only one way to write them is taken.
const SIGNER = /^ed25519:[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw]$/;

export function isSigner(text: string): boolean {
  return SIGNER.test(text);
}

export function isSignature(text: string): boolean {
  return SIGNATURE.test(text);
}

/** Whom this user knows by key: himself, if he has a key, and those he named. */
export interface Acquaintance {
  readonly own: string | undefined;
  readonly known: ReadonlyMap<string, string>;
}

export type Standing =
  | { readonly type: "you" }
  | { readonly type: "known"; readonly name: string }
  /** The one who was asked for, by a key that no name stands for. */
  | { readonly type: "wanted" }
  /** Somebody else was asked for. */
  | { readonly type: "other" }
  | { readonly type: "unknown" };

/** `wanted`: the key that alone counts this time. */
export function standingOf(signer: string, { own, known }: Acquaintance, wanted?: string): Standing {
  if (wanted !== undefined && signer !== wanted) return { type: "other" };
  if (signer === own) return { type: "you" };
  const [name] = [...known].find(([, key]) => key === signer) ?? [];
  if (name !== undefined) return { type: "known", name };
  return wanted === undefined ? { type: "unknown" } : { type: "wanted" };
}

export function countsAsKnown({ type }: Standing): boolean {
  return type === "you" || type === "known" || type === "wanted";
}

/** In a sentence after "signature of". */
export function signerName(signer: string, standing: Standing): string {
  if (standing.type === "you") return "you";
  return standing.type === "known" ? standing.name : signer;
}
