/**
 * One connection to the database, opened safely, and the queue that turns many writes into few flushes.
 *   G1. Writes of one tick share one transaction and one sync; each has its own savepoint.
 *   G2. Nothing is acknowledged before COMMIT returned. Two things are told before: a claim by who knows the thread
 *       already, so that its first commit shares the flush; and, to the host, that a commit woke somebody. Neither lets
 *       anybody do anything but write; what does not land takes what followed from it along.
 *   G3. A connection that failed to write is closed and never used again (F8).
 *   G4. Nothing is written unless the file that was opened is still the one at its path, and none is made anew.
 */
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StorageFailure } from "../core/failure.ts";
import {
  type Driver,
  type OpenDriver,
  openDriver,
  openReadOnly,
  requireSafeLibrary,
  type Statement,
} from "./driver.ts";
import { isBusy, storageFailure } from "./driver-error.ts";
import { openProblem } from "./open-problem.ts";
import { fileAt, type OpenedFile, requireSameFile } from "./opened-file.ts";
import { migrate, requireKnown, requireLayout } from "./schema.ts";

export interface ConnectionOptions {
  readonly path: string;
  readonly durability: "strict" | "relaxed";
  /** Another way to open it: a test may make the disk fail. */
  readonly open?: OpenDriver;
  /** Nothing is written, not even a layout: the store may be somebody else's. */
  readonly readOnly?: boolean;
}

/**
 * `with the next`: told before it is durable, so that what follows from it lands in the same flush. A function is told
 * first as well, beside whoever asked, and says whether something follows.
 */
type How<T> = "alone" | "with the next" | ((value: T) => boolean);

type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface Job {
  readonly apply: () => unknown;
  readonly how: How<never>;
  readonly settle: (outcome: Outcome) => void;
}

const BUSY_SLICE_MS = 40;
/** Who writes this often will go on for a while; a command that writes twice has nothing to gain. */
const FLUSHES_OF_A_LONG_RUN = 16;
const LOG_BYTES = 1_024_000;
const GROW = `PRAGMA cache_size = 16; BEGIN IMMEDIATE;
  INSERT INTO blobs (sha256, content) VALUES ('', hex(zeroblob(${LOG_BYTES / 2}))); ROLLBACK; PRAGMA cache_size = -2000`;
/** The most that SQLite takes; what lies behind it is read as ever. */
const MAPPED_BYTES = 2_147_418_112;
/** More than this in one flush would hold up the event loop. */
const JOBS_PER_FLUSH = 32;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #file: OpenedFile | undefined;
  #driver: Driver | undefined;
  #statements = new Map<string, Statement>();
  #queue: Job[] = [];
  #scheduled = false;
  #flushes = 0;
  #isTelling = false;
  #hasLayout = false;
  /** No further write is taken; and then: the connection is gone. */
  #closed = false;
  #isGone = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    try {
      this.#driver = openSafely(options);
      this.#file = fileAt(options.path);
    } catch (error) {
      throw openProblem(error, options.readOnly ? undefined : options.path);
    }
  }

  statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#open().prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Reads see every committed write. A failed connection is replaced first; another's lock is waited for. */
  read<T>(look: () => T): T {
    try {
      return patiently(look);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** An older layout is refused when something is read of it: who the store is can be told of every one. */
  requireLayout(): void {
    if (this.#hasLayout || !this.#options.readOnly) return;
    this.read(() => requireLayout(this.#open()));
    this.#hasLayout = true;
  }

  /** Several reads of one moment, whatever other processes write meanwhile. */
  snapshot<T>(look: () => T): T {
    return this.read(() => {
      const driver = this.#open();
      if (this.#isTelling) return look();
      driver.exec("BEGIN");
      try {
        return look();
      } finally {
        driver.exec("END");
      }
    });
  }

  /**
   * Reads much as if it stood in memory: a call of the system for each page of 1 KB takes half of the time. For that long and
   * no longer: what a disk cannot read is an error otherwise, and of a mapped file the end of the process.
   */
  mapped<T>(look: () => T): T {
    const driver = this.#open();
    driver.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    try {
      return look();
    } finally {
      driver.exec("PRAGMA mmap_size = 0");
    }
  }

  /** A flush is open, and something of it may have been told: reads would be part of it. */
  get isTelling(): boolean {
    return this.#isTelling;
  }

  write<T>(apply: () => T, how: How<T> = "alone"): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageFailure("CLOSED", "the store is closed"));
    if (this.#options.readOnly)
      return Promise.reject(new StorageFailure("EROFS", "the store is only looked at"));
    return new Promise<T>((resolve, reject) => {
      const settle: Job["settle"] = (outcome) => {
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome.value as T);
      };
      this.#queue.push({ apply, how, settle });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    while (this.#queue.length > 0 || this.#scheduled) await new Promise((resolve) => setImmediate(resolve));
    this.#discard();
    this.#isGone = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#queue.length === 0) return;
    try {
      requireSameFile(this.#options.path, this.#file);
      this.#open().exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (isBusy(error)) return this.#waitTurn();
      return this.#failAll(this.#queue.splice(0), this.#failed(error));
    }
    this.#scheduled = true;
    this.#isTelling = true;
    this.#transact(this.#open(), [], []);
  }

  #afterFlush(): void {
    this.#scheduled = false;
    this.#isTelling = false;
    this.#flushes += 1;
    if (this.#flushes === FLUSHES_OF_A_LONG_RUN) this.#makeRoom();
    if (this.#queue.length > 0) this.#schedule();
  }

  /**
   * The log is made as long as it will be, so that later commits write over what is there: a sync of a file that grows
   * costs twice as much. Pages that a transaction spills and takes back do just that. Nothing depends on it.
   */
  #makeRoom(): void {
    try {
      this.#driver?.exec(GROW);
    } catch (error) {
      this.#rollback();
      this.#failed(error);
    }
  }

  /** Another process is writing. A random pause keeps two busy writers from meeting for ever. */
  #waitTurn(): void {
    this.#scheduled = true;
    setTimeout(() => this.#flush(), 1 + (randomBytes(1)[0] ?? 0) / 32);
  }

  /** What waits now, and then what follows from it by itself (G2): while that is so, the flush stays open. */
  #transact(driver: Driver, jobs: Job[], outcomes: Outcome[]): void {
    const fresh = this.#queue.splice(0, JOBS_PER_FLUSH - jobs.length);
    const isOnly = jobs.length + fresh.length === 1;
    jobs.push(...fresh);
    if (this.#driver !== driver)
      return this.#failAll(jobs, new StorageFailure("EIO", "the connection was lost"));
    try {
      let isFollowed = false;
      for (const job of fresh) {
        const outcome = isOnly ? alone(job) : inSavepoint(driver, job);
        outcomes.push(outcome);
        isFollowed = tellAhead(job, outcome) || isFollowed;
      }
      if (isFollowed && jobs.length < JOBS_PER_FLUSH)
        return afterwards(() => this.#transact(driver, jobs, outcomes));
      const hasFailed = outcomes.every((outcome) => "error" in outcome);
      driver.exec(hasFailed ? "ROLLBACK" : "COMMIT");
    } catch (error) {
      this.#rollback();
      return this.#failAll(jobs, this.#failed(error));
    }
    jobs.forEach((job, index) => {
      job.settle(outcomes[index] ?? { error: new StorageFailure("EIO", "no outcome") });
    });
    this.#afterFlush();
  }

  #failAll(jobs: readonly Job[], error: unknown): void {
    for (const job of jobs) job.settle({ error });
    this.#afterFlush();
  }

  #rollback(): void {
    try {
      this.#driver?.exec("ROLLBACK");
    } catch {
      // SQLite rolls back by itself on most disk errors, and the connection is thrown away in any case.
    }
  }

  #failed(error: unknown): unknown {
    const failure = storageFailure(error);
    if (failure) this.#discard();
    return failure ?? error;
  }

  #discard(): void {
    const driver = this.#driver;
    this.#driver = undefined;
    this.#statements.clear();
    try {
      driver?.close();
    } catch {
      // A handle that failed may fail to close; it is not used again (G3).
    }
  }

  #open(): Driver {
    if (this.#isGone) throw new StorageFailure("CLOSED", "the store is closed");
    if (this.#driver) return this.#driver;
    requireSameFile(this.#options.path, this.#file);
    this.#driver = openSafely(this.#options);
    return this.#driver;
  }
}

/** True when something follows from it at once. */
function tellAhead({ how, settle }: Job, outcome: Outcome): boolean {
  if (how === "alone" || "error" in outcome) return false;
  if (how !== "with the next") return how(outcome.value as never);
  settle(outcome);
  return true;
}

/** When nothing is left that goes on without the world outside: no timer, no file and no other process comes in between. */
function afterwards(act: () => void): void {
  queueMicrotask(() => process.nextTick(act));
}

function alone(job: Job): Outcome {
  try {
    return { value: job.apply() };
  } catch (error) {
    if (storageFailure(error)) throw error;
    return { error };
  }
}

function inSavepoint(driver: Driver, job: Job): Outcome {
  driver.exec("SAVEPOINT job");
  const outcome = alone(job);
  if ("error" in outcome) driver.exec("ROLLBACK TO job");
  driver.exec("RELEASE job");
  return outcome;
}

function openSafely(options: ConnectionOptions): Driver {
  return options.readOnly ? openToLook(options) : openToWrite(options);
}

function openToLook({ path, open = openReadOnly }: ConnectionOptions): Driver {
  const driver = open(path);
  try {
    driver.exec(
      `PRAGMA busy_timeout = ${BUSY_SLICE_MS}; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON`,
    );
    requireSafeLibrary(String(driver.prepare("SELECT sqlite_version() AS v").get()?.["v"]));
    patiently(() => requireKnown(driver));
    return driver;
  } catch (error) {
    driver.close();
    throw storageFailure(error) ?? error;
  }
}

function openToWrite(options: ConnectionOptions): Driver {
  const { open = openDriver } = options;
  let driver: Driver | undefined;
  try {
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
    // SQLite gives the log and the shared memory the rights of the database: ours alone.
    closeSync(openSync(options.path, "a", 0o600));
    const opened = open(options.path);
    driver = opened;
    patiently(() => configure(opened, options.durability));
    patiently(() => migrate(opened));
    return opened;
  } catch (error) {
    driver?.close();
    throw storageFailure(error) ?? error;
  }
}

function configure(driver: Driver, durability: "strict" | "relaxed"): void {
  driver.exec(`PRAGMA busy_timeout = ${BUSY_SLICE_MS}`);
  requireSafeLibrary(String(driver.prepare("SELECT sqlite_version() AS v").get()?.["v"]));
  // Small pages: a commit writes whole pages, one per touched b-tree. Only a new database takes the size.
  driver.exec("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL");
  const level = durability === "strict" ? "FULL" : "NORMAL";
  driver.exec(`PRAGMA synchronous = ${level}; PRAGMA wal_autocheckpoint = 1000; PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON`);
  const synchronous = Number(driver.prepare("PRAGMA synchronous").get()?.["synchronous"]);
  if (synchronous !== (durability === "strict" ? 2 : 1)) {
    throw new StorageFailure("EIO", "the database does not keep the durability asked for");
  }
}

const LOCK_PATIENCE_MS = 10_000;

/**
 * Waits for another process's lock where there is no queue to go back to: at the opening, when several processes
 * make one store together, and in reads, which hardly ever meet one.
 */
export function patiently<T>(action: () => T): T {
  for (let waitedMs = 0; ; ) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= LOCK_PATIENCE_MS) throw error;
    }
    const pauseMs = 2 + (randomBytes(1)[0] ?? 0) / 16;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    waitedMs += pauseMs + BUSY_SLICE_MS;
  }
}
