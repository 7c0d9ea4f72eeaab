/**
 * Whom this user knows by key (§17): a name for each signer that counts. Only a person adds one. It says nothing about
 * projects: what a project may run is in the trust record.
 * Two writers at once may lose one entry; that costs one more `signer add`, never a wrong name.
 */
import { join } from "node:path";
import * as z from "zod/mini";
import type { Signers } from "../core/bundles.ts";
import { writing } from "../core/disk-error.ts";
import { Problem } from "../core/problem.ts";
import { type Acquaintance, isSigner } from "../core/signer.ts";
import { oneLine } from "../core/text.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { readPrivate } from "./private-file.ts";
import { ownSigner } from "./signing-key.ts";
import { makeStateHome } from "./state-home.ts";
import { stateHome } from "./user-folders.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

// Loose: fields that a later version adds must survive a rewrite by this one.
const Entry = z.looseObject({ key: z.string().check(z.refine(isSigner)), added_at: z.string() });
const List = z.looseObject({ v: z.literal(1), signers: z.record(z.string(), Entry) });
type List = z.infer<typeof List>;

export function signers(now: () => number, home = stateHome()): Signers {
  const path = join(home, "signers.json");
  const write = (list: List) => {
    makeStateHome(home);
    writing(path, () => replaceFile(path, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 }));
  };
  return {
    own: () => ownSigner(home),
    list: () =>
      Object.entries(readList(path).signers).map(([name, { key, added_at: addedAt }]) => ({
        name,
        key,
        addedAt,
      })),
    add: (name, key) => {
      const list = readList(path);
      requireNew(list, name, key);
      const entry = { key, added_at: new Date(now()).toISOString() };
      write({ ...list, signers: { ...list.signers, [name]: entry } });
    },
    remove: (nameOrKey) => {
      const list = readList(path);
      const [name] =
        Object.entries(list.signers).find(([each, { key }]) => [each, key].includes(nameOrKey)) ?? [];
      if (name === undefined) throw noSigner(nameOrKey);
      const { [name]: _, ...rest } = list.signers;
      write({ ...list, signers: rest });
      return name;
    },
  };
}

export function acquaintance({ own, list }: Signers): Acquaintance {
  return { own: own(), known: new Map(list().map(({ name, key }) => [name, key])) };
}

/** The key that is meant by a name or by itself. */
export function keyNamed({ own, known }: Acquaintance, nameOrKey: string): string {
  const key = nameOrKey === "you" ? own : (known.get(nameOrKey) ?? nameOrKey);
  if (key === undefined || !isSigner(key)) throw noSigner(nameOrKey);
  return key;
}

function requireNew({ signers: listed }: List, name: string, key: string): void {
  const refuse = (what: string, why: string) => {
    throw new Problem("E_USAGE", { what, why, next: [{ cmd: "selvage signer ls", why: "whom you know" }] });
  };
  if (!NAME.test(name) || name === "you" || name === "__proto__")
    refuse(
      `"${oneLine(name, 40)}" is no name for a signer.`,
      'A name has letters, digits and . _ @ + -, at most 64; "you" is yourself.',
    );
  if (!isSigner(key))
    refuse(
      `"${oneLine(key, 60)}" is no public key.`,
      "One looks like ed25519: and 43 characters. A private key is never asked for.",
    );
  const [holder] = Object.entries(listed).find(([each, entry]) => each === name || entry.key === key) ?? [];
  if (holder !== undefined && (holder !== name || listed[name]?.key !== key))
    refuse(
      holder === name ? `${name} has another key already.` : `This key is ${holder}'s already.`,
      `Nothing was written. selvage signer rm ${holder} removes the old entry.`,
    );
}

function readList(path: string): List {
  const read = readPrivate(path);
  if ("missing" in read) return { v: 1, signers: {} };
  if ("refused" in read) throw damaged(path, read.refused);
  const list = z.safeParse(List, parsedJson(read.text));
  if (!list.success) throw damaged(path, "it is no list of signers of version 1");
  return list.data;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told as what it is not
  }
}

function damaged(path: string, why: string): Problem {
  return new Problem("E_CONFIG_INVALID", {
    what: `The list of signers ${path} cannot be used.`,
    why: `${why}. It was left as it is, and no signer counts as known.`,
    next: [{ cmd: `mv '${path}' '${path}.old'`, why: "set it aside, and add the signers again" }],
  });
}

function noSigner(nameOrKey: string): Problem {
  return new Problem("E_SIGNER_NOT_FOUND", {
    what: `There is no signer ${oneLine(nameOrKey, 60)}.`,
    why: "It is neither a name in your list nor a public key, ed25519: and 43 characters.",
    next: [{ cmd: "selvage signer ls", why: "whom you know" }],
  });
}
