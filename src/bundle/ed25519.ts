/** Whether a signature is a signer's. Making one needs a private key, which never comes into this room. */
import { createPublicKey, verify } from "node:crypto";
import { isSignature, isSigner } from "../core/signer.ts";

/** What signs, with the key of the user who runs us. */
export interface SigningKey {
  readonly signer: string;
  sign(message: string): string;
}

export function isSignedBy(signer: string, message: string, signature: string): boolean {
  if (!isSigner(signer) || !isSignature(signature)) return false;
  try {
    const x = signer.slice("ed25519:".length);
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, Buffer.from(message), key, Buffer.from(signature, "base64url"));
  } catch {
    return false; // not a point on the curve: nobody's key
  }
}
