// One of several processes that host the same threads, all of which draw on one account. The runtime keeps one host a
// root (H1); here every process enrols under a name of its own, so that all of them go for the same threads and money.
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, host, realWorld } from "../../dist/inside.js";

const [root, scope] = process.argv.slice(2);
const look = defineTool({
  name: "look",
  description: "Looks.",
  effect: "pure",
  input: { type: "object" },
  run: async () => {
    await sleep(2);
    return "seen";
  },
});

const real = realWorld({ root, tools: [look], notify: () => {} });
const retry = { ...real.settings.retry, base_delay_ms: 20, max_retries: 5 };
const world = {
  ...real,
  model: (name) => ({ ...real.model(name), retry }),
  store: {
    ...real.store,
    enroll: (row, how) => real.store.enroll({ ...row, scope: row.host_id }, how),
    candidates: async () => shuffled(await real.store.candidates(scope)),
    leave: async (hostId, isIdle) =>
      isIdle(await real.store.candidates(scope)) ? real.store.leave(hostId, () => true) : { left: false },
  },
};

/** Everybody goes for another thread first, or one of them would have them all. */
function shuffled(candidates) {
  return candidates
    .map((candidate) => ({ candidate, at: Math.random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ candidate }) => candidate);
}

const prepare = async () => void process.stdout.write("ready\n");
await host(world, { scope, prepare, mayRecover: () => true, patienceMs: 2_000 });
await real.close();
