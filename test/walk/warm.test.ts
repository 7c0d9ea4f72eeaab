// A thread that its host parked is taken up again as it was left, unless somebody else had it meanwhile.
import { expect, test } from "vitest";
import { host, postRequest } from "../../src/runtime/index.ts";
import { ID, rounds, stage, unreplayed } from "./stage.ts";

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

test("it is read once, however often it is taken up; later claims land with what follows from them", async () => {
  const { world, make, row, counted } = retried();
  await make();
  await host(world, HOSTED);
  expect(await row()).toMatchObject({ status: "completed" });
  expect(counted).toEqual({ loads: 1, claims: [false, true, true] });
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
