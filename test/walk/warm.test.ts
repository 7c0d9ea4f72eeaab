// A thread that its host parked is taken up again as it was left, unless somebody else had it meanwhile.
import { expect, test } from "vitest";
import { host, postRequest } from "../../src/runtime/index.ts";
import { ID, rounds, stage, unreplayed } from "./stage.ts";
import { talk } from "./talk.ts";

const HOSTED = { scope: ID, mayRecover: () => true, patienceMs: 1 };

/** Two hosts' worth of a thread whose provider is down twice, so that it parks and wakes. */
function retried() {
  const play = stage([{ fails: { status: 503 } }, { fails: { status: 503 } }, { says: "done" }]);
  // A port is watched.
  unreplayed(play.universe);
  const { store } = play.world;
  const { load, claim } = store;
  const seen = { loads: 0, claims: [] as boolean[] };
  store.load = (threadId) => {
    seen.loads += 1;
    return load(threadId);
  };
  store.claim = (ask) => {
    seen.claims.push(ask.withCommit === true);
    return claim(ask);
  };
  return { ...play, counted: seen };
}

test("it is read once, however often it is taken up; one that may ask its model at once is claimed by itself", async () => {
  const { world, make, row, counted } = retried();
  await make();
  await host(world, HOSTED);
  expect(await row()).toMatchObject({ status: "completed" });
  expect(counted).toEqual({ loads: 1, claims: [false, false, false] });
});

test("its files lack a line: it is read, and they are mended", async () => {
  const { world, make, row, counted } = retried();
  await make();
  await host({ ...world, exports: { ...world.exports, isBehind: () => true } }, HOSTED);
  expect(await row()).toMatchObject({ status: "completed" });
  expect(counted).toEqual({ loads: 3, claims: [false, false, false] });
});

test("another process took notes for it meanwhile: it is read, and nothing of them is lost", async () => {
  const { world, make, row, counted, seen, universe } = retried();
  await make();
  const hosted = host(world, HOSTED);
  await seen("auto_retry_start");
  await rounds(5);
  // Somebody else holds it for a moment, as a command beside a host does.
  const [before] = await world.store.find({ threadId: ID });
  const claimed = await world.store.claim({
    ...{ threadId: ID, owner: "elsewhere", seenEpoch: before?.epoch ?? 0 },
  });
  if ("refused" in claimed) throw new Error(claimed.refused);
  await world.store.commit(claimed.lease, { events: [], release: true });
  await postRequest(world, { kind: "message", request_id: "m1", thread_id: ID, by: "me", text: "hurry" });
  await hosted;
  expect(await row()).toMatchObject({ status: "completed" });
  expect(counted.loads).toBe(2);
  expect(universe.transcripts.get(ID)?.map(({ type }) => type)).toContain("message_received");
});

test("notes are taken for it, and a message comes with them: it is read with the notes", async () => {
  const { world, say, note, head, universe } = talk([{ says: "Hello." }, { says: "Fine." }]);
  unreplayed(universe);
  await say("hi");
  const stop = new AbortController();
  const hosted = host(world, { ...HOSTED, scope: "*", stays: true, signal: stop.signal });
  const answered = () =>
    universe.notices.filter((each) => each.type === "event" && each.event.type === "message_answered");
  await until(async () => answered().length === 1 && (await head()).owner === null);
  const { commit, load } = world.store;
  const read: number[] = [];
  world.store.load = async (threadId) => {
    const loaded = await load(threadId);
    read.push(loaded.events.length);
    return loaded;
  };
  let hasCome = false;
  // A message comes while notes are taken of a thread that nobody has read.
  world.store.commit = async (lease, batch) => {
    if (!hasCome && batch.events.some(({ type }) => type === "delivery_noted")) {
      hasCome = true;
      await say("how are you?");
    }
    return commit(lease, batch);
  };
  const before = (await head()).seq;
  await note("posted", "n1");
  await until(async () => answered().length === 2);
  stop.abort();
  await hosted;
  expect(hasCome).toBe(true);
  expect(read[0]).toBe(before + 1);
});

test("what it is asked lands together with its claim", async () => {
  const { world, say, head, universe } = talk([{ says: "Hello." }, { says: "Fine." }]);
  unreplayed(universe);
  await say("hi");
  const { claim } = world.store;
  const claims: boolean[] = [];
  world.store.claim = (ask) => {
    claims.push(ask.withCommit === true);
    return claim(ask);
  };
  const stop = new AbortController();
  const hosted = host(world, { ...HOSTED, scope: "*", stays: true, signal: stop.signal });
  await until(async () => (await head()).waits_for?.kind === "message");
  await say("how are you?");
  const isAnswered = (each: (typeof universe.notices)[number]) =>
    each.type === "event" && each.event.type === "message_answered";
  await until(async () => universe.notices.filter(isAnswered).length === 2);
  stop.abort();
  await hosted;
  expect(claims).toEqual([false, true]);
});

async function until(look: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 20_000; round += 1) {
    if (await look()) return;
    await rounds();
  }
  throw new Error("it never came");
}
