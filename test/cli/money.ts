// Threads with money in them, and the store itself beside what the command line says of it.
import { join } from "node:path";
import { expect } from "vitest";
import type { Event, NewEvent } from "../../src/core/event.ts";
import { parseDollars } from "../../src/core/money.ts";
import type { Store } from "../../src/core/store.ts";
import { foldThread } from "../../src/core/thread.ts";
import { sha256 } from "../../src/machine/index.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { createdAs } from "../store/bench.ts";
import { directive, type Place, until } from "./cli.ts";

export const limited = (name: string, limits: string, script: string) => ({
  ...directive(name, `limits: { ${limits} }\n`),
  [`.ai/scripts/${name}.yaml`]: script,
});

const call = 'calls: [{ tool: bash, input: { command: "echo x" } }]';
/** Two turns that a provider billed, then the end. */
export const BILLED = `- says: one
  ${call}
  usage: { input: 1000, output: 100 }
- says: two
  ${call}
  usage: { input: 2000, output: 101 }
- says: done
  usage: { input: 7, output: 1 }
`;
export const FLAKY = `- fails: { status: 503 }
- says: one
  ${call}
  fails: { message: reset }
- says: done
  usage: { input: 11, output: 3 }
`;
export const HANGS = "- hangs: true\n";

export function openStore(place: Place): Store {
  const path = join(place.root, ".ai", "threads", "registry.db");
  const needs = { now: Date.now, sha256, newId: () => "x", ownerState: () => "dead" as const };
  return openSqliteStore({ ...needs, path, durability: "strict" });
}

export const nanos = (amount: string | null) => parseDollars(amount ?? "") ?? Number.NaN;

/** Runs a thread until its request is under way, and kills its process. */
export async function killedWhileAsking(place: Place, name: string): Promise<string> {
  const { child, ended } = place.start(["run", name]);
  const store = openStore(place);
  const id = await until(async () => {
    const rows = await store.find({});
    return rows.find((row) => row.directive === name && row.held > 0)?.thread_id;
  });
  await store.close();
  child.kill("SIGKILL");
  await ended;
  return id;
}

interface MadeThread {
  readonly id: string;
  readonly parent?: string;
  readonly root?: string;
  readonly limits?: Record<string, number | string>;
  readonly directive?: string;
  readonly model?: string;
  readonly events?: readonly NewEvent[];
}

/** A thread as the runtime would have written it, without running anything. */
export async function makeThread(store: Store, made: MadeThread): Promise<void> {
  const { id, parent = null, root = id, limits = {}, directive: name = "work", model = "scripted/x" } = made;
  const born = { ...createdAs(id), parent_id: parent, root_id: root, limits, directive: name, model };
  await store.create({ threadId: id, events: [born], requests: [] });
  const claimed = await store.claim({ threadId: id, owner: "a", seenEpoch: 0 });
  if ("refused" in claimed) throw new Error(claimed.refused);
  const { lease } = claimed;
  await store.commit(lease, { events: [{ type: "thread_started", run: 1 }] });
  for (const event of made.events ?? []) await store.commit(lease, { events: [], tail: [event] });
  await store.commit(lease, { events: [], release: true });
}

export const held = (id: string, turn: number, amount: number): NewEvent => ({
  ...{ type: "step_start", turn },
  hold: { id: `${id}/${turn}/1`, amount, input_tokens: 1, output_tokens: 1 },
});
export const answered = (id: string, turn: number, amount: number | null, more: object = {}): NewEvent => ({
  ...{ type: "cognition_out", turn, attempt: 1, content: [], stop: "end", truncated: false },
  usage: { input: 100, cache_read: 0, cache_write: 0, output: 10 },
  ...(amount === null ? {} : { bill: { hold: `${id}/${turn}/1`, amount } }),
  ...more,
});
export const ended: NewEvent = { type: "thread_completed", text: "" };

/** Every way of telling adds up to registry, journal and ledger, to the last unit. */
export async function expectExact(place: Place): Promise<void> {
  const store = openStore(place);
  const rows = await store.find({});
  const spent = new Map(rows.map((row) => [row.thread_id, row.spent]));
  for (const row of rows) {
    const { events } = await store.load(row.thread_id);
    expect(foldThread(row.thread_id, events as readonly Event[]).spent).toBe(row.spent);
    const account = (await store.balance(row.chain_root_id))?.account;
    const isAlone = !rows.some(({ parent_id }) => parent_id === row.thread_id);
    if (isAlone) expect(account).toMatchObject({ spent: row.spent, held: row.held });
  }
  await store.close();
  const total = [...spent.values()].reduce((sum, each) => sum + each, 0);
  for (const by of ["thread", "model", "day", "directive"]) {
    const { data } = await place.json("cost", "--by", by);
    const own = data.rows.map((row: { own: string | null }) => (row.own === null ? 0 : nanos(row.own)));
    expect([by, own.reduce((sum: number, each: number) => sum + each, 0)]).toEqual([by, total]);
    expect(nanos(data.total.own)).toBe(total);
    if (by !== "thread") continue;
    for (const row of data.rows)
      expect([row.key, nanos(row.own ?? "0")]).toEqual([row.key, spent.get(row.key)]);
  }
}
