/**
 * Tools that nobody can be asked about without running something of the project: what the journal tells of them is
 * enough. What their descriptions came to is read from the first estimate in which they were counted.
 */
import type { Event } from "../core/event.ts";
import { RUNTIME_TOOLS } from "../core/orchestration.ts";
import { newThread, reduce } from "../core/thread.ts";
import type { Effect, Tool } from "../core/tool.ts";
import type { World } from "../core/world.ts";
import { requestCost } from "../runtime/request-cost.ts";
import type { Policies } from "./ports.ts";

/** As `request-cost.ts` counts. */
const BYTES_PER_TOKEN = 3;

export function withStandIns(events: readonly Event[], policies: Policies): World["tool"] {
  const [created] = events;
  const offered = created?.type === "thread_created" ? created.tools : [];
  const unknown = offered.filter(
    (name) => !(RUNTIME_TOOLS as readonly string[]).includes(name) && !policies.tool(name),
  );
  const [first] = unknown;
  const made = new Map(unknown.map((name) => [name, standIn(name, events)]));
  const tool = (name: string) => made.get(name) ?? policies.tool(name);
  const found = first === undefined ? undefined : made.get(first);
  if (!found) return tool;
  const missing = BYTES_PER_TOKEN * uncounted(events, { ...policies, tool });
  made.set(found.name, { ...found, description: " ".repeat(Math.max(0, missing)) });
  return tool;
}

function standIn(name: string, events: readonly Event[]): Tool {
  const effects = events.flatMap((event): Effect[] =>
    event.type === "tool_call_start" && event.tool === name ? [event.effect] : [],
  );
  // A call that could not run counts as pure, whatever its tool is.
  const effect = effects.find((each) => each !== "pure") ?? "pure";
  const nobody = () => new Promise<never>(() => {});
  const overlaps = events.some(
    (event, at) => event.type === "tool_call_start" && startsBeside(events, at, name),
  );
  return {
    ...{ name, description: "", input: {}, effect, run: nobody },
    ...(overlaps ? { lanes: () => [] } : {}),
    ...(effect === "probe" ? { probe: nobody } : {}),
  };
}

/** Whether a call of a tool began while another of it ran: then they share no lane. */
function startsBeside(events: readonly Event[], at: number, name: string): boolean {
  const started = events[at];
  if (started?.type !== "tool_call_start" || started.tool !== name) return false;
  for (const event of events.slice(at + 1)) {
    if (event.type === "tool_call_result" && event.call_id === started.call_id) return false;
    if (event.type === "tool_call_start" && event.tool === name) return true;
  }
  return false;
}

/** Tokens of the first request that are not accounted for. */
function uncounted(events: readonly Event[], policies: Policies): number {
  const at = events.findIndex((event) => event.type === "step_start");
  const step = events[at];
  const fold = events.slice(0, at).reduce(reduce, newThread(step?.thread_id ?? ""));
  if (step?.type !== "step_start" || !step.hold || fold.contextTokens > 0) return 0;
  const { model } = fold;
  const counted = requestCost(policies as unknown as World, fold, { model, key: 0 }).inputTokens;
  return step.hold.input_tokens - counted;
}
