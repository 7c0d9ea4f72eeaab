/** A project on a real disk for tests of bundles and signatures, and keys of people. */
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { createBundle } from "../../src/bundle/create.ts";
import type { SigningKey } from "../../src/bundle/ed25519.ts";
import { verifyBundle } from "../../src/bundle/verify.ts";
import type { BundleReport } from "../../src/core/bundles.ts";

export const NOW = Date.UTC(2026, 10, 2);
export const MANIFEST = ".ai/bundles/kit/manifest.yaml";
export const key = newKey();
export const stranger = newKey();

function newKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    signer: `ed25519:${publicKey.export({ format: "jwk" }).x}`,
    sign: (message) => sign(null, Buffer.from(message), privateKey).toString("base64url"),
  };
}

/** For every test a new one with these files. */
export function scratchProject(files: Readonly<Record<string, string>>) {
  let folder = "";
  const place = {
    /** What the project lies in. */
    folder: () => folder,
    root: () => join(folder, "project"),
    at: (path: string) => join(folder, "project", path),
    read: (path: string) => readFileSync(place.at(path), "utf8"),
    write: (path: string, text: string | Buffer) => {
      mkdirSync(dirname(place.at(path)), { recursive: true });
      writeFileSync(place.at(path), text);
    },
  };
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "selvage-bundle-")));
    for (const [path, text] of Object.entries(files)) place.write(path, text);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return place;
}

/** A directive, a tool and its script; and the bundle `kit` that is made of them. */
export function bundleProject() {
  const place = scratchProject({
    ".ai/directives/a.md": "---\nmodel: x\n---\nDo it.\n",
    ".ai/tools/b.yaml": "description: b\ncommand: ./b.sh\n",
    "b.sh": "#!/bin/sh\n",
  });
  const people = { own: key.signer, known: new Map() };
  const where = () => ({ root: place.root(), home: place.at("state/selvage") });
  return {
    ...place,
    context: () => ({ ...where(), people, strict: false }),
    create: (
      paths: string[] = [],
      options: { key?: SigningKey | undefined; force?: boolean; id?: string } = {},
    ) =>
      createBundle(
        { id: options.id ?? "kit", paths, force: options.force ?? false, signed: true },
        { ...where(), now: NOW, key: "key" in options ? options.key : key },
      ),
    verify: (options: { strict?: boolean; wanted?: string; id?: string } = {}): Promise<BundleReport> =>
      verifyBundle(options.id ?? "kit", {
        ...{ ...where(), people, strict: options.strict ?? false, wanted: options.wanted },
      }),
  };
}

export function codes({ findings }: BundleReport): string[] {
  return findings.map(({ code, path }) => (path === null ? code : `${code} ${path}`));
}
