/** Signs a manifest that is there: one that an agent prepared, or that somebody else signed before. */
import { manifestPath } from "../core/bundle-path.ts";
import type { Manifest } from "../core/manifest.ts";
import { Problem } from "../core/problem.ts";
import { bundleMessage, writeManifest } from "./create.ts";
import type { SigningKey } from "./ed25519.ts";
import { readManifest } from "./manifest-file.ts";
import { type VerifyContext, verifyBundle } from "./verify.ts";

/** The id of the bundle whose manifest stands at this path. */
export function bundleAt(path: string): string | undefined {
  const id = /^\.ai\/bundles\/([^/]+)\/manifest\.yaml$/.exec(path)?.[1];
  return id !== undefined && path === manifestPath(id) ? id : undefined;
}

/** A signature vouches for files as they are: one that has changed since must not get it by mistake. */
export async function signable(id: string, context: VerifyContext): Promise<Manifest> {
  const { findings, manifest } = await verifyBundle(id, context);
  const wrong = findings.filter(({ code }) => code.startsWith("file_"));
  if (wrong.length === 0) return manifest;
  throw new Problem("E_SIGNATURE", {
    what: `The bundle ${id} was not signed: its files are not what its manifest says.`,
    why: wrong
      .slice(0, 5)
      .map(({ path, what }) => `${path}: ${what}`)
      .join("\n"),
    next: [{ cmd: `selvage bundle create ${id} --force`, why: "of the files as they are now" }],
  });
}

export async function signManifest(root: string, manifest: Manifest, key: SigningKey): Promise<void> {
  const { manifest: now } = await readManifest(root, manifest.id);
  const { signature: _, ...unsigned } = { ...manifest, signer: key.signer };
  if (JSON.stringify(now) !== JSON.stringify(manifest))
    throw new Problem("E_SIGNATURE", {
      what: `The bundle ${manifest.id} was not signed.`,
      why: "Its manifest changed while it was looked at.",
      next: [{ cmd: `selvage bundle verify ${manifest.id}`, why: "what it says now" }],
    });
  writeManifest(root, manifestPath(manifest.id), {
    ...unsigned,
    signature: key.sign(bundleMessage(unsigned)),
  });
}
