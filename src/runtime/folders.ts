/**
 * The folders of a host's threads, in which files may ask something of them. Cancel files of parked threads are seen as
 * soon as those of running ones.
 */
import type { Candidate } from "../core/claim.ts";
import type { World } from "../core/world.ts";
import { namesOf, postFiles } from "./inbox.ts";

/** Threads whose folders are watched for files; those of the others are found with a beat. */
const WATCHED_THREADS = 1_000;
const FOLDERS_PER_SLICE = 100;
const FOLDERS_EVERY_MS = 250;
/** A thread may be known by more than one name. */
const MOST_WATCHES = 2 * WATCHED_THREADS;

/** What came from outside, or may have. With a beat, files of threads that nobody watches are looked for too. */
type Outside = "nothing" | "a ring" | "something" | "beat";

interface FoldersNeeds {
  readonly world: World;
  readonly scope: string;
  /** A file arrived. */
  readonly onArrival: () => void;
  /** A file was found and posted where nobody watches. */
  readonly onPosted: () => void;
}

export class Folders {
  readonly #needs: FoldersNeeds;
  readonly #watches = new Map<string, () => void>();
  #outside: Outside = "beat";
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(needs: FoldersNeeds) {
    this.#needs = needs;
  }

  /** Something may lie in them: the more that may be, the more of them are looked into. */
  note(outside: Outside): void {
    if (RANKS.indexOf(outside) > RANKS.indexOf(this.#outside)) this.#outside = outside;
  }

  /** How long until they are looked into because of a ring; undefined when there was none. */
  get msToLook(): number | undefined {
    return this.#outside === "a ring" ? this.#msLeft() : undefined;
  }

  close(): void {
    for (const unwatch of this.#watches.values()) unwatch();
  }

  /** Folders to look into now, which are watched from here on. */
  async due(candidates: readonly Candidate[], theirs: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const outside = this.#outside;
    const stirring = new Set(candidates.flatMap(({ row }) => namesOf(row)));
    if (outside === "nothing" || this.#msLeft() > 0) return this.#watch(stirring);
    this.#outside = "nothing";
    this.#lookedAt = this.#needs.world.clock.monotonic();
    const first = await this.#named({ from: 0, limit: WATCHED_THREADS }, theirs);
    const nearest = new Set([...stirring, ...first.names]);
    for (const [threadId, unwatch] of this.#watches) {
      if (nearest.has(threadId)) continue;
      unwatch();
      this.#watches.delete(threadId);
    }
    this.#watch(nearest);
    if (outside === "beat" && !first.isLast) await this.#lookFurther(theirs);
    return nearest;
  }

  /** Every message rings: for that alone, the folders of a thousand threads are not looked into more often than this. */
  #msLeft(): number {
    if (this.#outside !== "a ring") return 0;
    return this.#lookedAt + FOLDERS_EVERY_MS - this.#needs.world.clock.monotonic();
  }

  /** Files for the threads that nobody watches, a slice at a time: they are many, and others want to move too. */
  async #lookFurther(theirs: ReadonlySet<string>): Promise<void> {
    const { world, onPosted } = this.#needs;
    const limit = FOLDERS_PER_SLICE;
    for (let from = WATCHED_THREADS, isLast = false; !isLast; from += limit) {
      await world.clock.sleep(0);
      const slice = await this.#named({ from, limit }, theirs);
      isLast = slice.isLast;
      if (await postFiles(world, new Set(slice.names))) onPosted();
    }
  }

  async #named(slice: { readonly from: number; readonly limit: number }, theirs: ReadonlySet<string>) {
    const { world, scope } = this.#needs;
    const found = await world.store.names(scope, slice);
    const names = found.filter(({ root_id }) => !theirs.has(root_id)).flatMap(namesOf);
    return { names, isLast: found.length < slice.limit };
  }

  /** Those of them that were not watched before: something may have come in between. */
  #watch(names: ReadonlySet<string>): ReadonlySet<string> {
    const { world, onArrival } = this.#needs;
    const fresh = [...names].filter((name) => !this.#watches.has(name));
    for (const name of fresh.slice(0, Math.max(0, MOST_WATCHES - this.#watches.size)))
      this.#watches.set(name, world.inbox.watch(name, onArrival));
    return new Set(fresh);
  }
}

const RANKS: readonly Outside[] = ["nothing", "a ring", "something", "beat"];
