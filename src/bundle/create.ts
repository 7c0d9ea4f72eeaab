/** Makes the manifest of a bundle: hashes what is there, and has it signed. */
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { manifestPath } from "../core/bundle-path.ts";
import type { BundleWish } from "../core/bundles.ts";
import { writing } from "../core/disk-error.ts";
import { type BundleFile, type Manifest, manifestBody, manifestText } from "../core/manifest.ts";
import { Problem } from "../core/problem.ts";
import { oneLine } from "../core/text.ts";
import { makeFolder } from "../disk/folder.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { SigningKey } from "./ed25519.ts";
import { listFiles } from "./list-files.ts";
import { readManifest, requireBundleId } from "./manifest-file.ts";
import { hashInside } from "./read-inside.ts";

/** What makes a project (F1), as far as it is there. */
const EVERYTHING = ["directives", "tools", "skills", "knowledge", "scripts", "config", "settings.json"].map(
  (name) => `.ai/${name}`,
);
const LONGEST_TEXT = 500;

export interface CreateContext {
  readonly root: string;
  readonly home: string;
  /** ms since 1970. */
  readonly now: number;
  /** Who signs; undefined: nobody. */
  readonly key?: SigningKey | undefined;
}

export async function createBundle(
  wish: BundleWish,
  { root, home, now, key }: CreateContext,
): Promise<{ readonly path: string; readonly manifest: Manifest }> {
  const { id, version = "1.0.0", description = "", force } = wish;
  requireBundleId(id);
  const path = manifestPath(id);
  if (force !== true && exists(join(root, path))) {
    const isFree = force === "unsigned" && (await readManifest(root, id)).manifest.signature === undefined;
    if (!isFree) throw alreadyThere(id, path);
  }
  const paths =
    wish.paths.length > 0
      ? [...new Set(wish.paths)].sort()
      : EVERYTHING.filter((each) => exists(join(root, each)));
  const files = await hashAll(root, listed(paths, { root, id, home }));
  const unsigned: Manifest = {
    ...{ id, version: oneLine(version, LONGEST_TEXT), description: oneLine(description, LONGEST_TEXT) },
    ...{ created: new Date(now).toISOString(), paths, files, signer: key?.signer },
  };
  const manifest = key ? { ...unsigned, signature: key.sign(bundleMessage(unsigned)) } : unsigned;
  writeManifest(root, path, manifest);
  return { path, manifest };
}

/** What is signed of a bundle. Of an item it begins otherwise, so neither is ever taken for the other. */
export function bundleMessage(manifest: Manifest): string {
  return `selvage bundle v1\n${manifestBody(manifest)}`;
}

export function writeManifest(root: string, path: string, manifest: Manifest): void {
  const folder = dirname(join(root, path));
  writing(path, () => {
    makeFolder(folder);
    if (realpathSync(folder) !== folder) throw refused([{ path, why: "a folder of its path is a link" }]);
    replaceFile(join(root, path), manifestText(manifest));
  });
}

function listed(paths: readonly string[], options: Parameters<typeof listFiles>[1]): readonly string[] {
  const listing = listFiles(paths, options);
  if (listing.refused.length > 0) throw refused(listing.refused);
  if (listing.files.length === 0)
    throw refused([{ path: paths.join(" ") || ".ai/", why: "there is no file to put into a bundle" }]);
  return listing.files;
}

async function hashAll(root: string, paths: readonly string[]): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  for (const path of paths) {
    const hashed = await hashInside(root, path);
    if (!("sha256" in hashed))
      throw refused([{ path, why: "refused" in hashed ? hashed.refused : "it went away while it was read" }]);
    files.push({ path, bytes: hashed.bytes, sha256: hashed.sha256 });
  }
  return files;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function alreadyThere(id: string, path: string): Problem {
  return new Problem("E_EXISTS", {
    what: `There is a bundle ${id} already.`,
    why: `${path} exists. It was not written over.`,
    next: [
      { cmd: `selvage bundle verify ${id}`, why: "whether it still fits" },
      { cmd: `selvage bundle create ${id} --force`, why: "make it anew" },
    ],
  });
}

const SHOWN = 5;

function refused(found: readonly { readonly path: string; readonly why: string }[]): Problem {
  const lines = found.slice(0, SHOWN).map(({ path, why }) => `${oneLine(path, 80)}: ${why}`);
  const more = found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : [];
  return new Problem("E_BUNDLE_INVALID", {
    what: "The bundle was not made.",
    why: [...lines, ...more].join("\n"),
    next: [{ cmd: "selvage bundle create ID PATH…", why: "name the files and folders it is to cover" }],
  });
}
