/**
 * Tools that nobody can be asked about without running something of the project: what the journal tells of them is
 * enough. What their descriptions came to is read from the first estimate in which they were counted.
 */
import type { Event } from "../core/event.ts";
import { RUNTIME_TOOLS } from "../core/orchestration.ts";
import { foldThread } from "../core/thread.ts";
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
  return {
    ...{ name, description: "", input: {}, effect, run: nobody },
    ...(overlapsIn(events, name) ? { lanes: () => [] } : {}),
    ...(effect === "pure" ? {} : { complaint: complaintThen(name, events) }),
    ...(effect === "probe" ? { probe: nobody } : {}),
  };
}

/** What it had to say against an input is told by the result of a call that was refused for it. */
function complaintThen(name: string, events: readonly Event[]): (input: unknown) => string | undefined {
  const refused = new Map<string, string>();
  const said = new Map<string, string>();
  for (const event of events) {
    if (event.type === "tool_call_start" && event.tool === name && event.effect === "pure")
      refused.set(event.call_id, JSON.stringify(event.input));
    const input = event.type === "tool_call_result" ? refused.get(event.call_id) : undefined;
    if (input !== undefined && event.type === "tool_call_result") said.set(input, event.output);
  }
  return (input) => said.get(JSON.stringify(input));
}

/** Whether a call of a tool began while another of it ran: then they share no lane. */
function overlapsIn(events: readonly Event[], name: string): boolean {
  const open = new Set<string>();
  return events.some((event) => {
    if (event.type === "tool_call_result") open.delete(event.call_id);
    if (event.type !== "tool_call_start" || event.tool !== name) return false;
    open.add(event.call_id);
    return open.size > 1;
  });
}

/** Tokens of the first request that are not accounted for. */
function uncounted(events: readonly Event[], policies: Policies): number {
  const at = events.findIndex((event) => event.type === "step_start");
  const step = events[at];
  const fold = foldThread(step?.thread_id ?? "", events.slice(0, at));
  if (step?.type !== "step_start" || !step.hold || fold.contextTokens > 0) return 0;
  const { model } = fold;
  const counted = requestCost(policies as unknown as World, fold, { model, key: 0 }).inputTokens;
  return step.hold.input_tokens - counted;
}
