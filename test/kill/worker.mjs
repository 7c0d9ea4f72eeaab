// One process of the kill tests: opens a project, starts or takes up its one thread, and ends when it is done.
// KILL_AT and KILL_WHEN make it kill itself at one of its writes (see src/testing/kill.ts).
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
  realWorld,
  scriptedModel,
} from "../../dist/inside.js";

const [root] = process.argv.slice(2);
const killer = new Killer(killPointFrom(process.env));
const effects = join(root, "effects.log");
const threadId = "story-1767225600-000000";

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
    run: async (_, { callKey }) => {
      await sleep(pauseMs);
      killer.writeNow(name, () => appendFileSync(effects, `${effect} ${callKey}\n`));
      return `${name} done`;
    },
  });

const steps = [
  { says: "First.", calls: [{ tool: "send", input: { to: "a" } }] },
  { fails: { status: 503 } },
  {
    says: "Then.",
    calls: [
      { tool: "fetch", input: { n: 1 } },
      { tool: "send", input: { to: "b" } },
      { tool: "store", input: { n: 2 } },
      { tool: "send", input: { to: "c" } },
      { tool: "write", input: { path: "out.txt", content: "x" } },
    ],
  },
  { calls: [{ tool: "bash", input: { command: "echo bash >> bash.log" } }] },
  { says: "Done." },
];

const tools = [
  // PAUSE_MS makes it slow, so that there is time to interfere with it.
  effectTool("send", "manual", Number(process.env.PAUSE_MS ?? 1)),
  effectTool("fetch", "pure", 3),
  effectTool("store", "probe", 2),
];
const notices = [];
const real = realWorld({ root, tools, notify: (notice) => notices.push(notice.type) });
const retry = { ...real.settings.retry, base_delay_ms: Number(process.env.RETRY_MS ?? 5) };
const settings = { ...real.settings, retry };
const world = mortalWorld(
  { ...real, settings, model: () => scriptedModel(steps, { clock: real.clock }) },
  killer,
);

const [found] = await world.store.find({ threadId });
if (!found) {
  const directive = {
    name: "story",
    description: "",
    model: "scripted/story",
    limits: {},
    inputs: {},
    permissions: ["selvage.execute.tool.*"],
    ask: [],
    delegates: [],
    body: "Go.",
  };
  const tools = real.toolNames;
  await createThread(world, threadId, { directive, inputs: {}, tools, by: "test" }).catch((error) => {
    // Another process made it at the same moment.
    if (!/UNIQUE/.test(String(error))) throw error;
  });
}
process.stdout.write("ready\n");
const mayTake = process.env.TAKE ? { mayTake: () => true } : {};
const end = await host(world, { scope: threadId, mayRecover: () => true, patienceMs: 300, ...mayTake });
const [row] = await real.store.find({ threadId });
await real.store.close();
const { status, suspend_reason: reason, epoch, recoveries } = row;
const fenced = notices.includes("fenced");
const report = { end: end.type, status, reason, epoch, recoveries, fenced, writes: killer.writes };
process.stdout.write(JSON.stringify(report));
