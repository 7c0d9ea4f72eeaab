/** A world in which nothing is ever executed: what it would ask outside is left open, and the time is the journal's. */
import type { Event } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { randomName } from "../core/id.ts";
import type { Model } from "../core/model.ts";
import type { Processes, ProcessOver } from "../core/processes.ts";
import type { RuleSet } from "../core/rule.ts";
import type { Settings } from "../core/settings.ts";
import { ENDS } from "../core/status.ts";
import type { Store } from "../core/store.ts";
import type { ProbeAnswer, Tool } from "../core/tool.ts";
import type { World } from "../core/world.ts";
import { outcomeOf } from "./answers.ts";
import { forever, type Life } from "./life.ts";
import type { Tape } from "./tape.ts";

/** What holds now: everything that decides. */
export interface Policies {
  readonly sha256: World["sha256"];
  readonly settings: Settings;
  readonly rules?: RuleSet | undefined;
  /** What is known of a model; it is not asked. */
  readonly model: World["model"];
  /** What is known of a tool; it is not run. */
  readonly tool: World["tool"];
  readonly hooks: readonly Hook[];
}

export function replayWorld(life: Life, tape: Tape, store: Store, policies: Policies): World {
  const { sha256, settings, rules } = policies;
  return {
    clock: { now: () => tape.now, monotonic: () => 0, sleep: (ms, signal) => life.sleep(ms, signal) },
    random: (bytes) => chance(tape, bytes),
    sha256,
    store,
    exports: { append: () => {}, remake: () => {}, isBehind: () => false, reconcile: () => undefined },
    inbox: { take: () => [], done: () => {}, watch: () => () => {} },
    machine: {
      owner: "replay",
      walking: new Set(),
      ownerState: () => "dead",
      listen: async () => ({ socket: null, onRing: () => {}, close: async () => {} }),
      ring: () => {},
    },
    model: (name) => modelThen(policies.model(name), { name, life, tape }),
    tool: (name) => toolThen(policies.tool(name), tape),
    answered: (callId, notes) => new Promise((give) => life.calls.set(callId, { notes, give, notedAt: -1 })),
    processes: processesThen(tape),
    prepare: (ask) => new Promise((give, fail) => life.prepares.push({ ask, give, fail })),
    systemNow: (_thread, messageId) =>
      tape.coming("system_changed", ({ for: about }) => about === messageId)?.system,
    runHook: (hook, _facts, { key }) =>
      new Promise((say) => {
        const point = key.slice(key.indexOf(" ") + 1);
        life.hooks.push({ hook, point, say });
      }),
    settings,
    redact: (value) => life.kept(value),
    ...(rules ? { rules } : {}),
    notify: () => {},
  };
}

const LETTERS = new Map(
  Array.from({ length: 32 }, (_, byte) => [randomName(Uint8Array.of(byte)), byte] as const),
);

/** Chance is outside too: names that were drawn then are drawn again. */
function chance(tape: Tape, bytes: number): Uint8Array {
  const name =
    bytes === 12
      ? tape.coming("approval_requested")?.approval_id.replace(/^ap_/, "")
      : tape.coming("thread_resumed", ({ request_id }) => request_id !== undefined)?.nonce;
  return Uint8Array.from({ length: bytes }, (_, at) => LETTERS.get(name?.[at] ?? "") ?? 0);
}

/** Keys that were used then were there, whatever is set in this environment. */
function modelThen(
  model: Model | undefined,
  { name, life, tape }: { readonly name: string; readonly life: Life; readonly tape: Tape },
): Model | undefined {
  if (!model) return undefined;
  const targets = tape.keysOf(name);
  const { unusable, gate: _gate, ...known } = model;
  return {
    ...known,
    ...(unusable === undefined || targets.length > 0 ? {} : { unusable }),
    keys: Math.max(0, ...targets) + 1,
    ask: (_request, on) =>
      life.isDead
        ? forever()
        : new Promise((end) => {
            life.ask = { turn: tape.thread.step?.turn ?? 0, on, end, fed: 0 };
          }),
  };
}

function toolThen(tool: Tool | undefined, tape: Tape): Tool | undefined {
  if (!tool) return undefined;
  const { probe } = tool;
  return {
    ...tool,
    run: () => forever(),
    ...(probe ? { probe: async (_input: unknown, { callKey }) => probeThen(tape, callKey) } : {}),
  };
}

function probeThen(tape: Tape, callId: string): ProbeAnswer {
  const recovered = tape.coming("crash_recovered");
  const decision = recovered?.decisions.find(({ call_id }) => call_id === callId)?.decision;
  const result = tape.ofCall("tool_call_result", callId);
  if (decision === "take" && result) return { type: "done", outcome: outcomeOf(result) };
  return { type: decision === "rerun" ? "not_done" : "cannot_tell" };
}

/** What was seen of processes, and how they ended; none is looked at now. */
function processesThen(tape: Tape): Processes {
  const over = ({
    handle_id: handle,
    why,
    exit_code: exitCode,
    by,
  }: Event<"process_stopped">): ProcessOver => ({
    ...{ handle, why, exitCode },
    ...(by === undefined ? {} : { by }),
  });
  const stopped = (handle: string) => tape.coming("process_stopped", ({ handle_id }) => handle_id === handle);
  const gone = (handle: string): ProcessOver => ({ handle, why: "gone", exitCode: null });
  return {
    start: () => forever(),
    becomesReady: () => forever(),
    look: async ({ handle }) => {
      const found = tape.coming("crash_recovered")?.processes?.find(({ handle_id }) => handle_id === handle);
      const end = stopped(handle);
      if (found?.decision !== "gone") return { type: "running" };
      const { handle: _handle, ...state } = end ? over(end) : gone(handle);
      return { type: "over", ...state };
    },
    stop: async ({ handle }) => {
      const end = stopped(handle);
      return end ? over(end) : gone(handle);
    },
    tail: () => [],
    follow: () => ({ next: () => [], close: () => {} }),
    endAll: async () => {
      const end = tape.placeOf(({ type }) => ENDS.includes(type) || type === "thread_stopping");
      const until = tape.ahead(end) ? tape.span(0, end) : [];
      return until.flatMap((event) =>
        event.type === "process_stopped" && event.asked_by !== "tool" ? [over(event)] : [],
      );
    },
    strays: async () => [],
  };
}
