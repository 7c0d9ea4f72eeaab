/**
 * The trust record (F7): which project at which real path, with which store and with
 * which content, this user said yes to.
 * Two writers at once may lose one entry; that costs one more question, never a wrong yes.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { writing } from "../core/disk-error.ts";
import { Problem } from "../core/problem.ts";
import type { TrustSurvey } from "../core/trust-survey.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { readText } from "../yaml/file.ts";
import { makeStateHome } from "./state-home.ts";
import { type Stock, surveyTrust } from "./trust-survey.ts";
import { changedFiles, trustedFiles } from "./trusted-files.ts";
import { stateHome } from "./user-folders.ts";

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
  const path = realpathSync(root);
  const before = lastYes(path, storeId, home);
  if (!before) return { type: "unknown" };
  const files = changedFiles(before.files, trustedFiles(path));
  return files.length === 0 ? { type: "trusted" } : { type: "changed", files };
}

/** Whether anybody ever said yes to what is at this path, whatever its store is by now. */
export function isListed(root: string, home = stateHome()): boolean {
  return Object.hasOwn(readRecord(recordPath(home)).projects, realpathSync(root));
}

/** What a yes would cover, and what of it changed since the last one. */
export function surveyProject(root: string, storeId: string, home = stateHome()): TrustSurvey {
  const path = realpathSync(root);
  const stock = { now: trustedFiles(path), before: lastYes(path, storeId, home) };
  return surveyTrust(path, stock, process.env);
}

function lastYes(path: string, storeId: string, home: string): Stock["before"] {
  const { projects } = readRecord(recordPath(home));
  const entry = Object.hasOwn(projects, path) ? projects[path] : undefined;
  return entry?.store_id === storeId ? { files: entry.files, at: entry.trusted_at } : undefined;
}

/** `now` in ms since 1970. `seen`: what the person was shown, if it was shown: the yes is to that, and to nothing newer. */
export function trustProject(
  root: string,
  storeId: string,
  now: number,
  home = stateHome(),
  seen?: TrustSurvey,
): void {
  const path = recordPath(home);
  const record = readRecord(path);
  const folder = realpathSync(root);
  const files = seen ? hashesOf(seen) : trustedFiles(folder);
  const entry = { store_id: storeId, trusted_at: new Date(now).toISOString(), files };
  const projects = { ...record.projects, [folder]: entry };
  makeStateHome(home);
  const text = `${JSON.stringify({ ...record, projects }, null, 2)}\n`;
  writing(path, () => replaceFile(path, text, { mode: 0o600 }));
}

function hashesOf({ files }: TrustSurvey): Record<string, string> {
  return Object.fromEntries(files.flatMap(({ path, hash }) => (hash === null ? [] : [[path, hash]])));
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
