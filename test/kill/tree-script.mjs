// The tree of the campaign: who starts whom, what each says and does, and what it may spend.
import { scriptedModel } from "../../dist/inside.js";

export const ROOT = "boss-1767225600-000000";

const call = (tool, input = {}) => ({ tool, input });
const start = (directive, more = {}) => call("thread_tool", { directive, ...more });
/** `$0` is the first child that it started, and so on. */
const wait = (ids, more = {}) => call("wait_threads", { thread_ids: ids, timeout: 0, ...more });

/** STUBBORN: it does not listen to TERM, nor does what it starts. */
const STUBBORN = process.env.STUBBORN ? "trap '' TERM; " : "";
const SLEEPS = `${STUBBORN}sleep 1000 & sleep 1000; true`;

/** Says which it is when it starts, in a file of its own: the store cannot hide a second start. */
const SERVES = `${STUBBORN}echo "$SELVAGE_PROCESS" >> served.log; echo up; exec sleep 1000`;
const serve = () =>
  call("managed_subprocess", {
    action: "start",
    command: "bash",
    args: ["-c", SERVES],
    ready_pattern: "^up",
  });
/** `%0` is the first process that it started. */
const about = (action) => call("managed_subprocess", { action, handle_id: "%0" });

const SCRIPTS = {
  boss: [
    { calls: [start("mid"), start("side"), start("late", { start: false }), call("store", { n: 1 })] },
    { calls: [wait(["$0", "$1"]), call("send", { to: "a" })] },
    { calls: [call("resume_thread", { thread_id: "$2" }), start("bad"), call("ask")] },
    { says: "Half.", calls: [start("idle"), start("leaf", { wait: true, inputs: { n: 9 } })] },
    { calls: [wait(["$2", "$3"], { require_all: false }), call("fetch")] },
    { says: "Done." },
  ],
  // Its children are at work when it fails, and so is its process.
  broken: [
    { calls: [start("mid"), start("side"), start("late", { start: false })] },
    { calls: [call("store", { n: 1 }), serve()] },
    { fails: { status: 401 } },
  ],
  // Everything that can be cut short, and somebody who waits for it.
  hub: [
    { calls: [start("shell"), start("stream"), start("backoff"), start("nested")] },
    { calls: [wait(["$0", "$1", "$2", "$3"])] },
    { says: "Never." },
  ],
  nested: [{ calls: [start("shell", { wait: true, limits: { spend: "0.30" } })] }, { says: "Never." }],
  shell: [
    { calls: [serve()] },
    { calls: [call("bash", { command: SLEEPS, timeout: 900 })] },
    { says: "Never." },
  ],
  backoff: [{ fails: { status: 503 } }, { fails: { status: 503 } }, { says: "Never." }],
  mid: [
    { calls: [serve()] },
    { calls: [start("leaf", { limits: { spend: "shared" } }), start("leaf"), call("fetch")] },
    { calls: [wait(["$0", "$1"], { timeout: 2_000_000 })] },
    { calls: [call("bash", { command: "echo bash >> bash.log" }), about("status"), about("logs")] },
    { says: "Mid." },
  ],
  side: [
    { fails: { status: 503 } },
    { calls: [start("leaf", { wait: true }), call("store")] },
    { says: "Side." },
  ],
  leaf: [
    { calls: [call("send", { to: "b" }), call("fetch"), call("ask")] },
    { calls: [call("directive_return", { sum: 4 })] },
  ],
  bad: [{ says: "I try.", calls: [call("send", { to: "c" })] }, { fails: { status: 401 } }],
  late: [{ calls: [call("store", { late: true })] }, { says: "Late." }],
  idle: [{ calls: [start("slow")] }, { says: "Idle." }],
  slow: [{ calls: [call("nap")] }, { says: "Never." }],
};

const CAPS = { mid: "2.00", side: "1.50", idle: "1.00", nested: "1.00" };
const STORIES = { fails: "broken", hub: "hub" };

export function directiveOf(name, story) {
  const asks = story === "asks" && name === "leaf" ? ["selvage.execute.tool.send"] : [];
  const script = name === "boss" ? (STORIES[story] ?? name) : name;
  return {
    name,
    description: "",
    model: name === "stream" ? "anthropic/claude-sonnet-4-5" : `scripted/${script}`,
    limits: name === "boss" ? {} : { spend: CAPS[name] ?? "0.40" },
    inputs: {},
    outputs: name === "leaf" ? { sum: { type: "number" } } : {},
    permissions: ["selvage.*"],
    ask: asks,
    delegates: [],
    hooks: [],
    body: "Go.",
    ...(name === "idle" ? { onExit: "cancel" } : {}),
  };
}

/** Says what the script says, with the children and processes it has been told of. */
export function modelOf(name, clock) {
  const steps = SCRIPTS[name.replace("scripted/", "")];
  if (!steps) return undefined;
  const { ask: _, ...facts } = scriptedModel(steps, { clock });
  return {
    ...facts,
    ask: (request, on, signal) => scriptedModel(filled(steps, request), { clock }).ask(request, on, signal),
  };
}

function filled(steps, { messages }) {
  const results = messages.items.slice(0, messages.length).flatMap(({ results: all = [] }) => all);
  const started = results.flatMap(({ tool, output }) =>
    tool === "thread_tool" ? [...output.matchAll(/"thread_id":"([^"]+)"/g)].map(([, id]) => id) : [],
  );
  const kept = results.flatMap(({ output }) => /"handle_id":"([^"]+)"/.exec(output)?.[1] ?? []);
  const text = JSON.stringify(steps)
    .replace(/\$(\d)/g, (_, at) => started[at] ?? "nobody-1-aaaaaa")
    .replace(/%(\d)/g, (_, at) => kept[at] ?? "proc_none");
  return JSON.parse(text);
}
