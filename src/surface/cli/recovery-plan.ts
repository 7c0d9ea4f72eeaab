/** The plan of `recover` as people and programs read it (UX a.6). */

import { showDollars, showShort } from "../../core/money.ts";
import type { PlanLine } from "../../core/recover.ts";
import { oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { planRecovery } from "../../runtime/index.ts";
import { age, counted } from "./moment.ts";
import { ownerName } from "./owner.ts";
import { openQuestion } from "./question-first.ts";
import { shortIds } from "./short-id.ts";
import type { Sighting } from "./survey.ts";
import { spendOf } from "./thread-object.ts";

export interface Planned {
  readonly sighting: Sighting;
  readonly line: PlanLine;
}

export async function planFor(world: World, sightings: readonly Sighting[]): Promise<Planned[]> {
  const lines = await planRecovery(
    world,
    sightings.map(({ row }) => row),
  );
  return sightings.flatMap((sighting, index): Planned[] => {
    const line = lines[index];
    return line ? [{ sighting, line }] : [];
  });
}

/** Why a thread is in the plan. */
type PlanReason =
  | "owner_gone"
  | "not_running"
  | "waits_for_retry"
  | "waits_for_children"
  | "suspended"
  | "taken";

function planReason({ sighting, line }: Planned): PlanReason {
  const { row, owner, timerDue } = sighting;
  if (owner === "dead") return "owner_gone";
  if (owner !== "none") return "taken";
  if (row.status === "suspended" || line.damage) return "suspended";
  // Its time-out alone does not make a retry of it.
  if (row.waits_for?.kind === "children" && sighting.requests.length === 0) return "waits_for_children";
  return timerDue === undefined ? "not_running" : "waits_for_retry";
}

export function planData(planned: Planned) {
  const { line, sighting } = planned;
  const { thread_id, directive, turn, turns, tokens, last_activity, age_seconds, model_call_again, damage } =
    line;
  return {
    thread_id,
    directive,
    status: line.status,
    recoverable: !damage && !sighting.damage,
    reason: planReason(planned),
    suspend_reason: sighting.row.suspend_reason,
    turn,
    turns,
    tokens,
    spend: spendOf(sighting.row),
    estimated_to_finish: estimateData(line),
    last_activity,
    age_seconds,
    model_call_again,
    waits_for: line.joins,
    reserved: showDollars(sighting.row.held),
    approval: openQuestion(sighting.row, sighting.requests),
    in_flight: line.in_flight.map(({ call_id, tool, input, effect, decision, why }) => ({
      call_id,
      tool,
      input,
      effect,
      repeatable: effect === "pure" || effect === "keyed",
      decision,
      why,
    })),
    processes: line.processes,
    damage: damage ?? sighting.damage,
  };
}

/** The most it can be, by its limits and its average so far; null where nothing tells. */
function estimateData({ estimate }: PlanLine) {
  if (!estimate) return null;
  const { turns, limit, spend, seconds, sample } = estimate;
  return {
    at_most_turns: turns,
    spend: spend === null ? null : showDollars(spend),
    seconds,
    limited_by: limit,
    average_of_turns: sample,
  };
}

function estimateText({ estimate }: PlanLine): string[] {
  if (!estimate) return [];
  const { turns, limit, spend, seconds, sample } = estimate;
  const money = spend === null ? [] : [showShort(spend)];
  const most = [counted(turns, "more turn"), ...money, age(seconds * 1_000)].join(", ");
  return [
    `     estimated to finish: at most ${most} (what its ${limit} limit leaves, at its average of ${counted(sample, "turn")})`,
  ];
}

export function planText(plan: readonly Planned[]): string {
  return plan.flatMap((planned) => [headline(planned), ...details(planned)]).join("\n");
}

function headline(planned: Planned): string {
  const { line, sighting } = planned;
  const sign = sighting.view === "suspended" ? "‖" : "!";
  const state = REASONS[planReason(planned)](sighting);
  return `${sign} ${line.thread_id}   turn ${line.turn} · last event ${age(line.age_seconds * 1000)} ago · ${state}`;
}

const REASONS: Record<PlanReason, (sighting: Sighting) => string> = {
  owner_gone: ({ row }) => `owner ${ownerName(row.owner ?? "")} is gone`,
  taken: ({ row }) => `owner ${ownerName(row.owner ?? "")} is alive and will be fenced off`,
  not_running: () => "nobody runs it",
  waits_for_children: () => "waits for children",
  waits_for_retry: () => "waits for another try, and nobody is there to make it",
  suspended: ({ row }) => `suspended: ${oneLine(row.error ?? row.suspend_reason ?? "", 90)}`,
};

const PROCESSES = { adopted: "runs, and is kept", gone: "is gone: cleared away" };

function details({ line, sighting }: Planned): string[] {
  const damage = line.damage ?? sighting.damage;
  if (damage) {
    return [
      `     damaged after event ${damage.last_good}: ${damage.why}`,
      "     not resumed; end it with --mark-error",
    ];
  }
  const calls = line.in_flight.map(
    ({ tool, input, why }) => `     ${tool} ${oneLine(JSON.stringify(input), 60)} was in flight · ${why}`,
  );
  const joins = line.joins.length > 0 ? [`     waits for ${shortIds(line.joins)} again`] : [];
  const { held } = sighting.row;
  const why = line.is_in_doubt
    ? "held for the request that was cut off is charged"
    : "is held for its next request";
  const money = held > 0 ? [`     ${showShort(held)} ${why}`] : [];
  const again = line.model_call_again ? ["     the model call that was cut off is made again"] : [];
  const kept = `     kept: ${counted(line.turns, "answer")} and all recorded results`;
  const processes = line.processes.map(
    ({ command, pid, decision }) => `     ${oneLine(command, 60)} (pid ${pid}) ${PROCESSES[decision]}`,
  );
  return [...calls, ...joins, ...again, ...money, ...processes, kept, ...estimateText(line)];
}

export interface OpenQuestion {
  readonly thread_id: string;
  readonly approval_id: string;
}

/** Questions in these trees: recovery answers none of them. */
export async function openQuestions({ store }: World, plan: readonly Planned[]): Promise<OpenQuestion[]> {
  const roots = new Set(plan.map(({ sighting }) => sighting.row.root_id));
  // One look for all of them: a plan may have a thousand roots.
  const rows = await store.find({ statuses: ["suspended"] });
  return rows.flatMap((row) => {
    if (!roots.has(row.root_id)) return [];
    const approval_id = openQuestion(row);
    return approval_id === null ? [] : [{ thread_id: row.thread_id, approval_id }];
  });
}

export function questionLines(questions: readonly OpenQuestion[]): string[] {
  return questions.map(
    ({ thread_id, approval_id }) =>
      `‖ ${thread_id}   waits for an answer, which stays yours: selvage approve ${approval_id}`,
  );
}
