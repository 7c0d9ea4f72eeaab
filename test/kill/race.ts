/** Many threads of one tree, several processes that host them, one account that pays: the stage of the race. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { NewEvent } from "../../src/core/event.ts";
import type { ThreadRow } from "../../src/core/row.ts";
import type { Store } from "../../src/core/store.ts";
import { ring } from "../../src/machine/bell.ts";
import { realMachine, sha256 } from "../../src/machine/index.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";

const MODEL = "anthropic/claude-sonnet-4-5";
export const ROOT = "race-1767225600-000000";
export const CHILDREN = Array.from(
  { length: 64 },
  (_, index) => `race/runner-1767225600-${String(index).padStart(6, "0")}`,
);

export class Race {
  readonly folder = mkdtempSync(join(tmpdir(), "selvage-race-"));
  readonly store: Store;
  readonly #threads = join(this.folder, ".ai", "threads");
  readonly #path = join(this.#threads, "registry.db");
  readonly #machine = realMachine();
  readonly #env: NodeJS.ProcessEnv;
  readonly #workers = new Map<ChildProcess, Promise<unknown>>();
  #requests = 0;
  kills = 0;

  constructor(providerUrl: string) {
    mkdirSync(this.#threads, { recursive: true });
    this.store = this.open(false);
    this.#env = {
      ...process.env,
      XDG_STATE_HOME: join(this.folder, "state"),
      XDG_CONFIG_HOME: join(this.folder, "config"),
      ANTHROPIC_API_KEY: "sk-ant-stand-in",
      ANTHROPIC_BASE_URL: providerUrl,
    };
  }

  open(readOnly: boolean): Store {
    return openSqliteStore({
      now: Date.now,
      sha256,
      newId: () => "race",
      ownerState: this.#machine.ownerState,
      path: this.#path,
      durability: "strict",
      readOnly,
    });
  }

  /** A root that may spend so much, and children that have nothing of their own. */
  async create(spend: string): Promise<void> {
    await this.store.create({ threadId: ROOT, events: [born(ROOT, null, { spend })], requests: [] });
    for (const threadId of CHILDREN) {
      const prompt: NewEvent = { type: "cognition_in", source: "directive", text: `${threadId} runs.` };
      const start = {
        kind: "start" as const,
        request_id: `start ${threadId}`,
        thread_id: threadId,
        by: "test",
      };
      const events = [born(threadId, ROOT, { tokens: 100_000_000 }), prompt];
      await this.store.create({ threadId, events, requests: [start] });
    }
  }

  host(): void {
    const worker = fileURLToPath(new URL("./race-worker.mjs", import.meta.url));
    const child = spawn(process.execPath, [worker, this.folder, ROOT], {
      env: this.#env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ready = Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    this.#workers.set(child, ready);
    child.once("exit", () => this.#workers.delete(child));
  }

  /** All of them have begun. */
  async hosted(): Promise<void> {
    await Promise.all(this.#workers.values());
  }

  /** Kills the one at this place, and puts another in its place. */
  async replace(place: number): Promise<void> {
    const workers = [...this.#workers];
    const [victim, ready] = workers[Math.floor(place * workers.length)] ?? [];
    await ready;
    if (victim?.kill("SIGKILL")) this.kills += 1;
    this.host();
  }

  /**
   * Four processes; one is killed and replaced every few requests. Who stopped for money is sent on again, now and
   * then, and once more at the end. Over when nothing moves any more.
   */
  async run(kills: number, random: () => number, asked: () => number): Promise<void> {
    for (let worker = 0; worker < 4; worker += 1) this.host();
    await this.hosted();
    while (this.kills < kills) {
      const enough = asked() + 4 + random() * 25;
      const late = Date.now() + 400 + random() * 300;
      while (asked() < enough && Date.now() < late) await sleep(1);
      await this.replace(random());
      if (random() < 0.5) await this.resumeAll();
    }
    await this.over();
    await this.resumeAll();
    this.host();
    await this.over();
  }

  /** All have left by themselves: nothing can move. */
  async over(): Promise<void> {
    await Promise.all([...this.#workers.keys()].map((child) => once(child, "exit")));
  }

  rows(): Promise<readonly ThreadRow[]> {
    return this.store.find({ rootId: ROOT });
  }

  /** Everybody who stopped for money may try again. Says how many these were. */
  async resumeAll(): Promise<number> {
    const stopped = (await this.rows()).filter(({ status }) => status === "suspended");
    await this.store.post(
      stopped.map(({ thread_id, nonce }) => {
        this.#requests += 1;
        return { kind: "resume", request_id: `again ${this.#requests}`, thread_id, nonce, by: "test" };
      }),
    );
    for (const { socket } of await this.store.hosts()) if (socket) ring(socket);
    return stopped.length;
  }

  async findings(): Promise<string[]> {
    const { findings } = await verifyStore(this.store, this.#path, this.#threads);
    return findings.map(({ thread_id, what }) => `${thread_id}: ${what}`);
  }

  async close(): Promise<void> {
    for (const child of this.#workers.keys()) child.kill("SIGKILL");
    await this.over();
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function born(threadId: string, parent: string | null, limits: Record<string, number | string>): NewEvent {
  return {
    type: "thread_created",
    directive: "race",
    inputs: {},
    model: MODEL,
    system: "Run.",
    tools: ["look"],
    rights: { permissions: ["selvage.execute.tool.look"], ask: [], delegates: [], above: [], revoked: [] },
    limits,
    chain_root_id: threadId,
    root_id: ROOT,
    parent_id: parent,
    run: 1,
    nonce: "first",
  };
}
