/**
 * Processes that outlive us (§14), on this machine.
 *   O1. One is signalled only while it is the one that was started: its identity (machine, boot, pid namespace, pid, start
 *       time) and its mark both say so. A record that somebody forged, or a number that was given out again, names nobody.
 *   O2. What bears the mark is found without any record: between a start and the commit that tells of it nothing is lost.
 */
import { existsSync, realpathSync } from "node:fs";
import type { OwnerState } from "../../core/claim.ts";
import type {
  ProcessAsk,
  ProcessBegun,
  Processes,
  ProcessOver,
  ProcessRef,
  ProcessState,
  ProcessStray,
} from "../../core/processes.ts";
import { linearPattern, loadPatterns } from "../linear-pattern.ts";
import { endLeader, endTree } from "./end-tree.ts";
import {
  exitCodeIn,
  filesOf,
  makeFolder,
  overFile,
  type ProcessFiles,
  readNote,
  seizeIfPossible,
  tailOf,
} from "./files.ts";
import { type Launching, launch, prepare } from "./launch.ts";
import { LogReader } from "./log-reader.ts";
import { type Belonging, bearsMark, belongingTo, handlesMarked, marksByThread } from "./marked.ts";
import { isListening } from "./port.ts";
import { noteStop, stopNoteIn } from "./stop-note.ts";

export interface ProcessesOptions extends Launching {
  readonly storeId: () => string;
  readonly ownerState: (identity: string) => OwnerState;
  readonly sha256: (text: string) => string;
}

const LOOK_EVERY_MS = 50;
/** Without a sign of readiness, one that still runs after this is taken to be ready. */
const SETTLED_MS = 300;
/** Its keeper may be about to write down how it began, or ended. */
const LAST_WORD_MS = 1_000;
const FIRST_WORD_MS = 5_000;

export class MachineProcesses implements Processes {
  readonly #options: ProcessesOptions;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  async start(ask: ProcessAsk): Promise<ProcessBegun> {
    const files = this.#files(ask);
    if (existsSync(files.begun)) return this.#takeUp(ask, files);
    const prepared = await prepare(ask, this.#options);
    if ("refused" in prepared) return prepared;
    makeFolder(files.folder);
    const over = overFile(this.#options.threadsFolder, ask.threadId);
    const said = await launch({ ...prepared, files, mark: this.#mark(ask), over }, this.#options);
    if ("begunBefore" in said) return this.#takeUp(ask, files);
    return "pid" in said ? { ...said, cwd: prepared.cwd } : said;
  }

  async becomesReady(...[ref, ready, signal]: Parameters<Processes["becomesReady"]>): Promise<boolean> {
    const { pattern, port, timeoutMs } = ready;
    const isRunning = () => this.#leader(ref) !== undefined;
    if (pattern === undefined && port === undefined) {
      await pause(SETTLED_MS, signal);
      return isRunning();
    }
    await loadPatterns();
    const log = this.follow(ref);
    const wanted = pattern === undefined ? undefined : linearPattern(pattern);
    const isSaid = () => wanted && [...log.next(), log.rest].some((line) => wanted.test(line));
    const deadline = performance.now() + timeoutMs;
    try {
      while (!signal.aborted && performance.now() < deadline) {
        if (!isRunning()) return false;
        if (isSaid() || (port !== undefined && (await isListening(port)))) return isRunning();
        await pause(LOOK_EVERY_MS, signal);
      }
      return false;
    } finally {
      log.close();
    }
  }

  async look(ref: ProcessRef): Promise<ProcessState> {
    const deadline = performance.now() + LAST_WORD_MS;
    for (;;) {
      const isKept = this.#belonging(ref).keepers.length > 0;
      const state = this.#lookNow(ref);
      if (state.type === "running" || state.exitCode !== null || state.why === "elsewhere") return state;
      if (!isKept) return state;
      if (performance.now() > deadline) return state;
      await pause(LOOK_EVERY_MS);
    }
  }

  async stop(ref: ProcessRef, by?: string): Promise<ProcessOver> {
    const { handle } = ref;
    if (this.#isElsewhere(ref)) return { handle, why: "elsewhere", exitCode: null };
    const { graceMs } = this.#options;
    const files = this.#files(ref);
    seizeIfPossible(files.begun);
    // Before the first signal: whoever sees it end, sees who asked.
    const isTheirs = by !== undefined && this.#leader(ref) !== undefined;
    if (isTheirs) noteStop(files, { by });
    const how =
      process.platform === "linux"
        ? await endTree((groups) => this.#belonging(ref, groups), graceMs)
        : await endLeader(this.#leader(ref), graceMs);
    if (isTheirs && how !== "none") noteStop(files, { by, how });
    const state = await this.look(ref);
    if (state.type === "running") return { handle, why: how === "none" ? "gone" : how, exitCode: null };
    const { why, exitCode, by: who } = state;
    const told = how === "none" ? { why } : { why: how };
    return { handle, ...told, exitCode, ...(who === undefined ? {} : { by: who }) };
  }

  tail(ref: ProcessRef, lines: number): readonly string[] {
    return tailOf(this.#files(ref), lines);
  }

  follow(ref: ProcessRef): LogReader {
    return new LogReader(this.#files(ref).log);
  }

  async endAll(...[thread, known]: Parameters<Processes["endAll"]>): Promise<readonly ProcessOver[]> {
    const { chainRootId, threadId } = thread;
    const over = overFile(this.#options.threadsFolder, threadId);
    seizeIfPossible(over);
    const byHandle = new Map(known.map((ref) => [ref.handle, ref]));
    for (const handle of handlesMarked(chainMark(this.#options, chainRootId)))
      if (!byHandle.has(handle)) byHandle.set(handle, { handle, chainRootId });
    return Promise.all([...byHandle.values()].map((ref) => this.stop(ref)));
  }

  async strays(...[chainOf]: Parameters<Processes["strays"]>): Promise<readonly ProcessStray[]> {
    const found: ProcessStray[] = [];
    for (const [threadId, marks] of marksByThread()) {
      const chainRootId = await chainOf(threadId);
      if (chainRootId === undefined) continue;
      const prefix = chainMark(this.#options, chainRootId);
      // A thread of another store, or of a copy of this one, may have the same name: its mark is another.
      for (const mark of new Set(marks.filter((each) => each.startsWith(prefix))))
        found.push({ threadId, chainRootId, handle: mark.slice(prefix.length) });
    }
    return found;
  }

  /** It was begun before: by a call that was cut off, or by a host that does not know that it is none any more. */
  async #takeUp(ask: ProcessAsk, { begun }: ProcessFiles): Promise<ProcessBegun> {
    const deadline = performance.now() + FIRST_WORD_MS;
    for (;;) {
      const isKept = this.#belonging(ask).keepers.length > 0;
      const identity = identityIn(begun);
      if (identity !== undefined) return { pid: pidIn(identity), identity, cwd: ask.cwd ?? "." };
      if (!isKept || performance.now() > deadline)
        return { refused: "it was begun before a crash and came to nothing; start it again" };
      await pause(LOOK_EVERY_MS);
    }
  }

  #lookNow(ref: ProcessRef): ProcessState {
    if (this.#isElsewhere(ref)) return { type: "over", why: "elsewhere", exitCode: null };
    if (this.#leader(ref) !== undefined) return { type: "running" };
    const files = this.#files(ref);
    const exitCode = exitCodeIn(files);
    const { by, how } = stopNoteIn(files) ?? {};
    const why = how ?? (exitCode === undefined ? "gone" : "exited");
    return { type: "over", why, exitCode: exitCode ?? null, ...(by === undefined ? {} : { by }) };
  }

  #isElsewhere({ identity }: ProcessRef): boolean {
    return identity !== undefined && this.#options.ownerState(identity) === "elsewhere";
  }

  /** Its number, while it is surely the one (O1). */
  #leader(ref: ProcessRef): number | undefined {
    const identity = ref.identity ?? identityIn(this.#files(ref).begun);
    if (identity === undefined || this.#options.ownerState(identity) !== "alive") return undefined;
    const pid = pidIn(identity);
    return pid > 1 && bearsMark(pid, this.#mark(ref)) ? pid : undefined;
  }

  #belonging(ref: ProcessRef, groups: readonly number[] = []): Belonging {
    return belongingTo(this.#mark(ref), this.#leader(ref), groups);
  }

  #files({ chainRootId, handle }: ProcessRef): ProcessFiles {
    return filesOf(this.#options.threadsFolder, chainRootId, handle);
  }

  #mark({ chainRootId, handle }: ProcessRef): string {
    return `${chainMark(this.#options, chainRootId)}${handle}`;
  }
}

/** A copy of a project has the same store id and the same threads: what it names is not its own. */
function chainMark({ storeId, threadsFolder, sha256 }: ProcessesOptions, chainRootId: string): string {
  return `${sha256(`${storeId()}\n${realOr(threadsFolder)}\n${chainRootId}`).slice(0, 24)}.`;
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Said by a file, so believed only together with the mark (O1). */
function identityIn(begun: string): string | undefined {
  const identity = readNote(begun)?.["identity"];
  return typeof identity === "string" ? identity : undefined;
}

/** `machine:boot:namespace:pid:start` */
function pidIn(identity: string): number {
  return Number(identity.split(":")[3]);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}
