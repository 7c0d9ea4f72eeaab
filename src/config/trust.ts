/**
 * The trust record (F7): which project at which real path, with which store and with
 * which content, this user said yes to.
 * Two writers at once may lose one entry; that costs one more question, never a wrong yes.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { Problem } from "../core/problem.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { readText } from "../yaml/file.ts";
import { makeStateHome, stateHome } from "./state-home.ts";
import { changedFiles, trustedFiles } from "./trusted-files.ts";
import { attempt } from "./unwritable.ts";

// Loose: fields that a later version adds must survive a rewrite by this one.
const TrustRecord = z.looseObject({
  v: z.literal(1),
  projects: z.record(
    z.string(),
    z.looseObject({
      store_id: z.string(),
      trusted_at: z.string(),
      files: z._default(z.record(z.string(), z.string()), {}),
    }),
  ),
});
type TrustRecord = z.infer<typeof TrustRecord>;

/** `unknown`: nobody said yes to this path with this store. `changed`: what was said yes to is not what is there. */
export type Trust =
  | { readonly type: "trusted" }
  | { readonly type: "unknown" }
  | { readonly type: "changed"; readonly files: readonly string[] };

export function readTrust(root: string, storeId: string, home = stateHome()): Trust {
  const { projects } = readRecord(recordPath(home));
  const path = realpathSync(root);
  const entry = Object.hasOwn(projects, path) ? projects[path] : undefined;
  if (entry?.store_id !== storeId) return { type: "unknown" };
  const files = changedFiles(entry.files, trustedFiles(path));
  return files.length === 0 ? { type: "trusted" } : { type: "changed", files };
}

/** `now` in ms since 1970. */
export function trustProject(root: string, storeId: string, now: number, home = stateHome()): void {
  const path = recordPath(home);
  const record = readRecord(path);
  const folder = realpathSync(root);
  const entry = { store_id: storeId, trusted_at: new Date(now).toISOString(), files: trustedFiles(folder) };
  const projects = { ...record.projects, [folder]: entry };
  makeStateHome(home);
  const text = `${JSON.stringify({ ...record, projects }, null, 2)}\n`;
  attempt(path, () => replaceFile(path, text, { mode: 0o600 }));
}

function recordPath(home: string): string {
  return join(home, "trust.json");
}

function readRecord(path: string): TrustRecord {
  const read = readText(path);
  if ("missing" in read) return { v: 1, projects: {} };
  if ("refused" in read) throw damaged(path, read.refused);
  const parsed = z.safeParse(TrustRecord, parseJson(path, read.text));
  if (!parsed.success) throw damaged(path, "it is JSON, but not a trust record of version 1");
  return parsed.data;
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Its only failure is text that is not JSON, and the reader should hear which file it was.
    throw damaged(path, `it is not JSON: ${(cause as Error).message}`);
  }
}

function damaged(path: string, why: string): Problem {
  return new Problem("E_CONFIG_INVALID", {
    what: `The trust record ${path} cannot be used.`,
    why: `${why}. It was left as it is, and no project counts as trusted.`,
    next: [{ cmd: `mv '${path}' '${path}.old'`, why: "set it aside; every project asks for trust again" }],
  });
}
