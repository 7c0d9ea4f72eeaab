/** Chance and digests. */
import * as crypto from "node:crypto";

export function randomBytes(count: number): Uint8Array {
  return crypto.randomBytes(count);
}

/** Hex digest of the text's UTF-8 bytes. One-shot `hash` costs half of `createHash`, but not every runtime has it. */
export const sha256: (text: string) => string =
  typeof crypto.hash === "function"
    ? (text) => crypto.hash("sha256", text)
    : (text) => crypto.createHash("sha256").update(text).digest("hex");
