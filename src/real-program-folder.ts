/** The folder that a program opens: the project it belongs to, or a new one; and whether anybody vouches for it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeOperatorToken } from "./config/operator.ts";
import { findProject } from "./config/project.ts";
import { trustProject } from "./config/trust.ts";
import { Problem } from "./core/problem.ts";
import { realClock, realMachine } from "./machine/index.ts";
import { openStore, trustStateOf } from "./real-store.ts";
import type { TrustState } from "./surface/cli/house.ts";
import { requirePerson } from "./surface/cli/operator.ts";

export interface Opened {
  readonly root: string;
  /** If it had to be found out. */
  readonly trust?: TrustState;
}

export async function projectAt(folder: string, mayTrust: boolean): Promise<Opened> {
  const found = existing(folder);
  if (found !== undefined) return requireTrust(found, mayTrust);
  mkdirSync(join(folder, ".ai"), { recursive: true });
  const { root } = findProject(folder);
  // What happens here is nobody's source; a file that git reads anyway keeps it out.
  writeFileSync(join(root, ".ai", ".gitignore"), "threads/\n", { flag: "a" });
  // Nothing is in it that anybody else could have written.
  await vouchFor(root);
  return { root };
}

function existing(folder: string): string | undefined {
  try {
    return findProject(folder).root;
  } catch (error) {
    if (error instanceof Problem && error.code === "E_NO_PROJECT") return undefined;
    throw error;
  }
}

async function requireTrust(root: string, mayTrust: boolean): Promise<Opened> {
  const trust = trustStateOf(root);
  if (trust.trusted) return { root, trust };
  if (mayTrust) {
    requirePerson("trust");
    await vouchFor(root);
    return { root };
  }
  const files = trust.changedFiles;
  throw new Problem("E_UNTRUSTED", {
    what: `The project in ${root} is not trusted as it is.`,
    why: files.length > 0 ? `Changed since: ${files.slice(0, 10).join(", ")}.` : "Nobody has said yes to it.",
    next: [
      { cmd: "selvage trust", why: "a person looks at what is in it" },
      { cmd: "open(folder, { trust: true })", why: "the program vouches for what is in it" },
    ],
  });
}

async function vouchFor(root: string): Promise<void> {
  // Trust is in a store at a place: it has to be there.
  const store = openStore(root, "strict", realMachine(), () => {});
  trustProject(root, store.storeId, realClock.now());
  await store.close();
  makeOperatorToken();
}
