/** Bundles and signatures with the keys of this user. */
import { createBundle } from "./bundle/create.ts";
import type { SigningKey } from "./bundle/ed25519.ts";
import { checkItem, coverFrom, readToSign, resolveItem, signItem } from "./bundle/item.ts";
import { readManifest } from "./bundle/manifest-file.ts";
import { bundleAt, signable, signManifest } from "./bundle/sign-bundle.ts";
import { standingIn, verifyBundle } from "./bundle/verify.ts";
import { acquaintance, keyNamed, signers } from "./config/signers.ts";
import { signingKey } from "./config/signing-key.ts";
import { stateHome } from "./config/user-folders.ts";
import type { BundleReport, Bundles, CheckOptions, ItemReport, ToSign } from "./core/bundles.ts";
import { realClock } from "./machine/index.ts";
import { trustAgain, trustOf } from "./real-store.ts";

const { now } = realClock;
const list = signers(now);

export const bundles: Bundles = {
  signers: list,
  create: (root, wish) =>
    createBundle(wish, { root, home: stateHome(), now: now(), key: wish.signed ? signingKey() : undefined }),
  verify: (root, id, options) => verifyBundle(id, { root, home: stateHome(), ...contextOf(options) }),
  inspect: async (root, id) => {
    const { manifest } = await readManifest(root, id);
    return { manifest, standing: standingIn(manifest, { people: acquaintance(list) }) ?? null };
  },
  cover: coverFrom,
  resolve: resolveItem,
  sign,
  check: async (root, path, options) => {
    const id = bundleAt(path);
    if (id === undefined) return checkItem(root, path, contextOf(options));
    return asItem(path, await verifyBundle(id, { root, home: stateHome(), ...contextOf(options) }));
  },
};

function contextOf({ key, strict = false }: CheckOptions) {
  const people = acquaintance(list);
  return { people, wanted: key === undefined ? undefined : keyNamed(people, key), strict };
}

/** All are looked at before the first is signed. What was trusted before stays so: only our own line was added. */
async function sign(root: string, items: readonly ToSign[]) {
  const context = { root, home: stateHome(), ...contextOf({}) };
  const ready: { path: string; act: (key: SigningKey) => Promise<void> }[] = [];
  for (const asked of items) {
    const { path } = asked;
    const id = bundleAt(path);
    if (id === undefined) {
      const item = await readToSign(root, asked);
      ready.push({ path, act: (key) => signItem(root, item, { key, now: now() }) });
    } else {
      const manifest = await signable(id, context);
      ready.push({ path, act: (key) => signManifest(root, manifest, key) });
    }
  }
  const key = signingKey();
  for (const { path, act } of ready) {
    const wasTrusted = trustOf(root).type === "trusted";
    await act(key);
    if (wasTrusted) trustAgain(root, path);
  }
  return ready.map(({ path }) => ({ path, signer: key.signer }));
}

function asItem(path: string, { manifest, ok, signature, standing, findings }: BundleReport): ItemReport {
  const { signer = null, created: signedAt } = manifest;
  return { path, ok, signature, signer, signedAt, standing, findings };
}
