/** What `find` and `grep` share: a walk through a place, and a listing of what was found on it. */
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Settings } from "../core/settings.ts";
import type { ToolOutcome } from "../core/tool.ts";
import type { Listing } from "./listing.ts";
import { placeOf } from "./place.ts";
import { type Blanks, type Found, noteOf, walk } from "./walk.ts";

export interface LookOptions {
  readonly projectRoot: string;
  readonly limits: Settings["tool"];
}

export interface Search {
  readonly projectRoot: string;
  readonly asked: string | undefined;
  readonly signal: AbortSignal;
  readonly listing: Listing;
  readonly nothing: string;
  /** Lists what it finds in one entry; false when there is no more room. */
  readonly look: (found: Found, prefix: string, blanks: Blanks) => Promise<boolean>;
}

/** Names are told from the project's folder, as every tool takes them. */
export async function search(job: Search): Promise<ToolOutcome> {
  const root = realpathSync(job.projectRoot);
  const place = placeOf(root, job.asked);
  const blanks: Blanks = { unreadable: 0, isCut: false };
  const start = place.kind === "file" ? dirname(place.path) : place.path;
  const prefix = start === root ? "" : `${start.slice(root.length + 1)}/`;
  const found = place.kind === "file" ? only(place.path) : walk({ root, start, signal: job.signal }, blanks);
  const notes: string[] = [];
  for await (const entry of found) {
    if (await job.look(entry, prefix, blanks)) continue;
    notes.push(`cut after ${job.listing.count}: narrow the search`);
    break;
  }
  return { status: "ok", output: job.listing.text([...notes, ...noteOf(blanks)], job.nothing) };
}

async function* only(path: string): AsyncGenerator<Found> {
  yield { path, name: path.slice(dirname(path).length + 1), kind: "file" };
}
