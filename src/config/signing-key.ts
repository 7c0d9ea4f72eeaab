/**
 * The key with which this user signs items and bundles (§17): Ed25519, in a file of the user, made by the first
 * signature. Who can read it can sign in the user's name, so it is kept like the operator token: tools get no path to
 * it, and nothing that is written or shown may hold it.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { join } from "node:path";
import { writing } from "../core/disk-error.ts";
import { Problem } from "../core/problem.ts";
import type { Secret } from "../core/secret.ts";
import { createFile } from "../disk/create-file.ts";
import { readPrivate } from "./private-file.ts";
import { makeStateHome } from "./state-home.ts";
import { stateHome } from "./user-folders.ts";

const PEM = /^-----BEGIN PRIVATE KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PRIVATE KEY-----\s*$/;

export interface OwnKey {
  readonly signer: string;
  sign(message: string): string;
}

/** Makes the key if there is none yet; of several processes at once, one does. */
export function signingKey(home = stateHome()): OwnKey {
  const path = keyPath(home);
  if ("missing" in readPrivate(path)) makeKey(home, path);
  const key = readKey(path);
  if (!key) throw unusable(path, "there is none");
  return {
    signer: signerOf(key),
    sign: (message) => sign(null, Buffer.from(message), key).toString("base64url"),
  };
}

/** Undefined until the first signature; also where the file cannot be used, for who only checks need not care. */
export function ownSigner(home = stateHome()): string | undefined {
  try {
    const key = readKey(keyPath(home));
    return key && signerOf(key);
  } catch (cause) {
    if (cause instanceof Problem) return undefined;
    throw cause;
  }
}

/** In the ways in which it is usually written: the file's own, the bare 32 bytes as text. */
export function signingSecrets(home = stateHome()): Secret[] {
  const read = readPrivate(keyPath(home));
  const body = "text" in read ? PEM.exec(read.text)?.[1]?.replace(/\s/g, "") : undefined;
  if (body === undefined) return [];
  const bytes = Buffer.from(body, "base64").subarray(-32);
  const hex = bytes.toString("hex");
  const forms = [body, bytes.toString("base64url"), bytes.toString("base64"), hex, hex.toUpperCase()];
  return forms.map((value) => ({ name: "signing_key", value }));
}

function makeKey(home: string, path: string): void {
  makeStateHome(home);
  const { privateKey } = generateKeyPairSync("ed25519");
  const text = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  writing(path, () => createFile(path, text, 0o600));
}

function readKey(path: string): KeyObject | undefined {
  const read = readPrivate(path);
  if ("missing" in read) return undefined;
  if ("refused" in read) throw unusable(path, read.refused);
  const key = parsed(read.text);
  if (key?.asymmetricKeyType !== "ed25519") throw unusable(path, "it holds no Ed25519 key");
  return key;
}

function parsed(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined; // what the library says of it may quote it
  }
}

function signerOf(key: KeyObject): string {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return `ed25519:${x}`;
}

function keyPath(home: string): string {
  return join(home, "signing-key.pem");
}

function unusable(path: string, why: string): Problem {
  return new Problem("E_CONFIG_INVALID", {
    what: `The signing key ${path} cannot be used.`,
    why: `${why}. Nothing was signed.`,
    next: [{ cmd: `mv '${path}' '${path}.old'`, why: "set it aside; the next signature makes a new one" }],
  });
}
