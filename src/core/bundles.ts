/** Bundles and signatures as people and tools ask for them. Nothing of this trusts a project, and trust checks nothing of this. */
import type { FileState, SignatureFinding, SignatureState } from "./bundle-report.ts";
import type { BundleFile, Manifest } from "./manifest.ts";
import type { Standing } from "./signer.ts";

export interface BundleWish {
  readonly id: string;
  /** From the project's folder; none: everything that makes a project. */
  readonly paths: readonly string[];
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** Over one that is there; or only where nobody has signed that. */
  readonly force: boolean | "unsigned";
  /** With the key of this user; a person's act. */
  readonly signed: boolean;
}

export interface BundleReport {
  readonly manifest: Manifest;
  readonly ok: boolean;
  readonly files: readonly (BundleFile & FileState)[];
  readonly extra: readonly string[];
  readonly signature: SignatureState;
  readonly standing: Standing | null;
  readonly findings: readonly SignatureFinding[];
}

export interface ItemReport {
  /** From the project's folder. */
  readonly path: string;
  readonly ok: boolean;
  readonly signature: SignatureState;
  readonly signer: string | null;
  readonly signedAt: string | null;
  readonly standing: Standing | null;
  readonly findings: readonly SignatureFinding[];
}

export interface CheckOptions {
  /** The signer that alone counts: a key, or a name in the list. */
  readonly key?: string | undefined;
  /** What a bundle does not cover is a finding too. */
  readonly strict?: boolean;
}

/** Of one project; `root` is its real path. Each throws a Problem where there is nothing to look at or it may not be. */
export interface Bundles {
  create(root: string, wish: BundleWish): Promise<{ readonly path: string; readonly manifest: Manifest }>;
  verify(root: string, id: string, options: CheckOptions): Promise<BundleReport>;
  /** What it says, without a look at any file; who the signer would be, if the signature is valid. */
  inspect(
    root: string,
    id: string,
  ): Promise<{ readonly manifest: Manifest; readonly standing: Standing | null }>;
  /** A file or folder as seen from `folder`, as seen from the project's. Throws for what no bundle may cover. */
  cover(root: string, folder: string, path: string): string;
  /** The path of an item, given by name (`directive:NAME`) or by path as seen from `folder`. */
  resolve(root: string, folder: string, item: string): string;
  /** All or, where one may not be signed, none. With the key of this user, which is made if there is none. */
  sign(
    root: string,
    items: readonly ToSign[],
  ): Promise<readonly { readonly path: string; readonly signer: string }[]>;
  check(root: string, path: string, options: CheckOptions): Promise<ItemReport>;
  readonly signers: Signers;
}

export interface ToSign {
  readonly path: string;
  /** Of what the signature is to cover: if that is anything else by now, nothing is signed. */
  readonly sha256?: string;
}

export interface Signers {
  /** The key of this user; undefined until the first signature. */
  own(): string | undefined;
  list(): readonly { readonly name: string; readonly key: string; readonly addedAt: string }[];
  add(name: string, key: string): void;
  /** By name or key; the name. */
  remove(nameOrKey: string): string;
}
