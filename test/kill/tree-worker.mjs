// One process of the tree campaign: opens a project, starts or takes up its one tree, and ends when nothing can move.
// KILL_AT and KILL_WHEN: it kills itself at one of its writes. RIVAL: it goes for threads that another hosts as well.
// CANCEL_AT: it cancels the tree when it has written so many events. APPROVE: first it says yes to every question.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createThread,
  defineTool,
  host,
  Killer,
  killPointFrom,
  mortalWorld,
  postRequest,
  realWorld,
} from "../../dist/inside.js";
import { directiveOf, modelOf, ROOT } from "./tree-script.mjs";
import { measured } from "./tree-stopwatch.mjs";

const [root, story] = process.argv.slice(2);
const killer = new Killer(killPointFrom(process.env));
const effects = join(root, "effects.log");

/** Leaves one line per effect in a file of its own: the store cannot hide a repeated one. */
const effectTool = (name, effect, pauseMs) =>
  defineTool({
    name,
    description: name,
    effect,
    input: { type: "object" },
    probe: async (_, { callKey }) =>
      readFileSync(effects, "utf8").includes(callKey)
        ? { type: "done", outcome: { status: "ok", output: `${name} done` } }
        : { type: "not_done" },
    run: async (_, { callKey, threadId, signal }) => {
      await sleep(pauseMs, undefined, { signal });
      killer.writeNow(name, () => appendFileSync(effects, `${effect} ${callKey} ${threadId}\n`));
      return `${name} done`;
    },
  });

const tools = [
  effectTool("send", "manual", 1),
  effectTool("fetch", "pure", 2),
  effectTool("store", "keyed", 1),
  effectTool("ask", "probe", 1),
  effectTool("nap", "pure", 20_000),
];

let acknowledged = 0;
const notify = (notice) => {
  if (notice.type !== "event") return;
  acknowledged += 1;
  if (acknowledged === Number(process.env.CANCEL_AT)) cancel().catch(() => {});
};

async function cancel() {
  const [row] = await real.store.find({ threadId: ROOT });
  const said = { request_id: "stop", thread_id: ROOT, by: "test", reason: "enough" };
  await postRequest(real, { kind: "cancel", nonce: row.nonce, ...said });
}

const real = realWorld({ root, tools, notify });
const retry = { ...real.settings.retry, base_delay_ms: Number(process.env.RETRY_MS ?? 5) };
const loop = { ...real.settings.loop, ask_after: 0 };

/** Starting and stopping a process are writes as well, and so is the moment in which its keeper comes up. */
const { processes } = real;
const mortalProcesses = {
  start: (ask) => {
    setTimeout(
      () => killer.writeNow("keeper", () => {}),
      (Number(process.env.KILL_AT ?? 0) * 7) % 90,
    ).unref();
    return killer.write("process start", () => processes.start(ask));
  },
  stop: (ref) => killer.write("process stop", () => processes.stop(ref)),
  endAll: (...given) => killer.write("process end", () => processes.endAll(...given)),
  look: (ref) => processes.look(ref),
  strays: (chainOf) => processes.strays(chainOf),
  becomesReady: (...given) => processes.becomesReady(...given),
  tail: (...given) => processes.tail(...given),
  follow: (ref) => processes.follow(ref),
};
const { world: played, times } = measured({
  ...real,
  processes: mortalProcesses,
  settings: { ...real.settings, retry, loop },
  model: (name) => modelOf(name, real.clock) ?? real.model(name),
  prepare: async ({ directive, inputs }) => ({
    ...{ directive: directiveOf(directive, story), system: "", inputs, tools: real.toolNames },
  }),
});
const world = mortalWorld(played, killer);

/** The runtime keeps one host a root; a rival enrols under a name of its own and goes for the same threads. */
function rival(store) {
  return {
    ...store,
    enroll: (row, how) => store.enroll({ ...row, scope: row.host_id }, how),
    candidates: () => store.candidates(ROOT),
    leave: async (hostId, isIdle) =>
      isIdle(await store.candidates(ROOT)) ? store.leave(hostId, () => true) : { left: false },
  };
}

const [found] = await world.store.find({ threadId: ROOT });
if (!found) {
  const more = { inputs: {}, tools: real.toolNames, limits: { spend: "9.00" }, by: "test" };
  await createThread(world, ROOT, { directive: directiveOf("boss", story), ...more });
}
for (const { approval, thread_id } of process.env.APPROVE
  ? await real.store.approvals({ states: ["open"] })
  : []) {
  const { approval_id } = approval;
  const said = { approval_id, thread_id, by: "test", via: "test", approved: true, resume: true };
  await postRequest(world, { kind: "decide", request_id: `yes ${approval_id}`, ...said });
}
const options = { scope: ROOT, mayRecover: () => true, patienceMs: 2_000 };
const end = await host(process.env.RIVAL ? { ...world, store: rival(world.store) } : world, options);
await real.close();
process.stdout.write(JSON.stringify({ end: end.type, writes: killer.writes, events: acknowledged, times }));
