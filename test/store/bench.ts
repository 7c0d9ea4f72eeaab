/** A store with one thread in it, a clock that is moved by hand, and owners that die when they are told to. */
import type { Lease } from "../../src/core/commit.ts";
import type { NewEvent } from "../../src/core/event.ts";
import type { Store } from "../../src/core/store.ts";
import type { StoreNeeds } from "../../src/store/stores/needs.ts";

export interface Bench {
  /** Opens the same data again each time it is called. */
  open(needs: StoreNeeds): Store;
}

export const ID = "work-1767225600-abc123";

export const createdAs = (id: string): NewEvent & { type: "thread_created" } => ({
  type: "thread_created",
  directive: "work",
  inputs: {},
  model: "scripted/x",
  system: "",
  tools: [],
  limits: {},
  chain_root_id: id,
  root_id: id,
  parent_id: null,
  run: 1,
  nonce: "n1",
});
export const created = createdAs(ID);
export const started: NewEvent = { type: "thread_started", run: 1 };

export async function openBench(opened: Bench) {
  const dead = new Set<string>();
  let now = Date.UTC(2026, 0, 1);
  const needs: StoreNeeds = {
    now: () => now,
    sha256: (text) => hash(text),
    newId: () => "store-1",
    ownerState: (owner) => (dead.has(owner) ? "dead" : "alive"),
  };
  const store = opened.open(needs);
  await store.create({ threadId: ID, events: [created], requests: [] });
  const claim = async (owner: string, threadId = ID): Promise<Lease> => {
    const [row] = await store.find({ threadId });
    const answer = await store.claim({ threadId, owner, seenEpoch: row?.epoch ?? -1 });
    if ("refused" in answer) throw new Error(answer.refused);
    return answer.lease;
  };
  const tick = (ms: number) => {
    now += ms;
  };
  return {
    store,
    claim,
    dead,
    needs,
    opened,
    tick,
    row: async () => (await store.find({ threadId: ID }))[0],
  };
}

const MODULUS = 2n ** 128n - 159n;

/** Not cryptographic, and it need not be. */
function hash(text: string): string {
  let value = 0n;
  for (const character of text) value = (value * 131n + BigInt(character.codePointAt(0) ?? 0)) % MODULUS;
  return value.toString(16).padStart(32, "0").repeat(2);
}
