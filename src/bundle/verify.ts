/** Holds a bundle against its manifest. Reads, and changes nothing; runs nothing; trusts nothing. */
import { type BundleSeen, bundleFindings, type FileState } from "../core/bundle-report.ts";
import type { BundleReport } from "../core/bundles.ts";
import type { BundleFile, Manifest } from "../core/manifest.ts";
import { type Acquaintance, type Standing, standingOf } from "../core/signer.ts";
import { bundleMessage } from "./create.ts";
import { isSignedBy } from "./ed25519.ts";
import { listFiles } from "./list-files.ts";
import { readManifest } from "./manifest-file.ts";
import { hashInside } from "./read-inside.ts";

export interface VerifyContext {
  readonly root: string;
  readonly home: string;
  readonly people: Acquaintance;
  /** The key that alone counts. */
  readonly wanted?: string | undefined;
  readonly strict: boolean;
}

export async function verifyBundle(id: string, context: VerifyContext): Promise<BundleReport> {
  const { root, home } = context;
  const { manifest, rewrittenAt } = await readManifest(root, id);
  const files: FileState[] = [];
  for (const file of manifest.files) files.push(await stateOf(root, file));
  const seen: BundleSeen = {
    ...{ manifest, rewrittenAt, files, extra: extras(manifest, { root, id, home }) },
    signature: signatureOf(manifest),
    standing: standingIn(manifest, context),
  };
  const findings = bundleFindings(seen, context);
  return {
    ...{ manifest, ok: findings.length === 0, extra: seen.extra, signature: seen.signature, findings },
    standing: seen.standing ?? null,
    files: manifest.files.map((file, index) => ({ ...file, ...(files[index] ?? { state: "missing" }) })),
  };
}

/** Nobody stands behind an unsigned one. */
export function standingIn(
  { signer }: Manifest,
  { people, wanted }: Pick<VerifyContext, "people" | "wanted">,
): Standing | undefined {
  return signer === undefined ? undefined : standingOf(signer, people, wanted);
}

function signatureOf(manifest: Manifest): BundleSeen["signature"] {
  const { signer, signature } = manifest;
  if (signer === undefined || signature === undefined) return "none";
  return isSignedBy(signer, bundleMessage(manifest), signature) ? "valid" : "invalid";
}

async function stateOf(root: string, { path, bytes, sha256 }: BundleFile): Promise<FileState> {
  const now = await hashInside(root, path, bytes);
  if ("missing" in now) return { state: "missing" };
  if ("refused" in now) return { state: "refused", why: now.refused };
  if (now.bytes !== bytes)
    return { state: "changed", why: `it changed: it has ${now.bytes} bytes, not ${bytes}` };
  if (now.sha256 !== sha256)
    return { state: "changed", why: "it changed: its content is not what the manifest says" };
  return { state: "same" };
}

/** Links and the like too: they lie there, and nobody covers them. What went missing is told elsewhere. */
function extras({ paths, files }: Manifest, options: Parameters<typeof listFiles>[1]): string[] {
  const covered = new Set(files.map(({ path }) => path));
  const now = listFiles(paths, options);
  const asked = new Set(paths);
  const strange = now.refused.map(({ path }) => path).filter((path) => !asked.has(path));
  return [...now.files, ...strange].filter((path) => !covered.has(path)).sort();
}
