/** Commands about money, about threads that nobody runs, and about processes that threads keep. */
import { changedLimits } from "../../core/limit-change.ts";
import { Problem } from "../../core/problem.ts";
import { newRequestId, planRecovery, postRequest } from "../../runtime/index.ts";
import { askForMoney } from "../cli/budget-ask.ts";
import { budgetObject, seeBudget } from "../cli/budget-object.ts";
import { requireFitting } from "../cli/cap-check.ts";
import { refOf, resolveProcess, seeAll } from "../cli/commands/proc.ts";
import { requirePerson } from "../cli/operator.ts";
import { person } from "../cli/person.ts";
import { processObject } from "../cli/process-text.ts";
import { planData } from "../cli/recovery-plan.ts";
import { resolveHead } from "../cli/resolve.ts";
import { type Sighting, surveyLive } from "../cli/survey.ts";
import { limitsOf } from "../sdk/start.ts";
import type { Ask } from "./commands.ts";
import type { Desk, Handlers } from "./desk.ts";

type About = "get_budget" | "set_limits" | "orphan_scan" | "recover" | "managed_subprocess";

const TAIL = 50;

export const CARE_HANDLERS: Handlers<About> = {
  get_budget: async ({ thread_id }, desk) => {
    const { thread_id: id } = await desk.rowOf(thread_id);
    return budgetObject(await seeBudget(desk.world, id));
  },
  set_limits: setLimits,
  orphan_scan: async (_, { world }) => {
    const left = (await surveyLive(world)).filter(isLeft);
    const lines = await planRecovery(
      world,
      left.map(({ row }) => row),
    );
    const orphans = left.flatMap((sighting, at) => {
      const line = lines[at];
      return line ? [planData({ sighting, line })] : [];
    });
    return { orphans };
  },
  recover,
  managed_subprocess: subprocess,
};

function isLeft({ owner, isAbandoned }: Sighting): boolean {
  return owner === "dead" || isAbandoned;
}

async function setLimits(asked: Ask<"set_limits">, desk: Desk) {
  requirePerson("rpc");
  const { world } = desk;
  const row = await desk.rowOf(asked.thread_id);
  const change = { set: limitsOf(asked.set), add: limitsOf(asked.add) };
  const wanted = changedLimits(row.limits, change);
  if ("problem" in wanted)
    throw new Problem("E_USAGE", {
      what: `The limits of ${row.thread_id} cannot be changed like this.`,
      why: `${wanted.problem}. Nothing was written.`,
      threadId: row.thread_id,
    });
  const isSame = Object.keys(wanted.limits).length === 0;
  if (!isSame) await requireFitting(world, row, wanted.limits);
  const outcome = isSame ? { type: "same" } : await askForMoney(world, row, { kind: "budget", ...change });
  return { ...budgetObject(await seeBudget(world, row.thread_id)), outcome: outcome.type };
}

async function recover({ thread_ids, action = "resume" }: Ask<"recover">, { world, needs }: Desk) {
  requirePerson("rpc");
  const live = await surveyLive(world);
  const named = thread_ids && (await Promise.all(thread_ids.map((id) => resolveHead(world.store, id))));
  const ids = named?.map(({ thread_id }) => thread_id);
  const meant = live.filter((sighting) => ids?.includes(sighting.row.thread_id) ?? isLeft(sighting));
  for (const { row } of meant) {
    if (action === "resume") continue;
    const asked = { request_id: newRequestId(world), thread_id: row.thread_id, by: person() };
    await postRequest(
      world,
      action === "mark_error"
        ? { ...asked, kind: "mark_error", reason: "Marked as failed by a person." }
        : { ...asked, kind: "cancel", reason: "Marked as cancelled by a person.", nonce: row.nonce },
    );
  }
  const recovered = meant.map(({ row }) => row.thread_id);
  await needs.runtime.recover(recovered);
  return { recovered };
}

async function subprocess({ action, handle_id, tail = TAIL }: Ask<"managed_subprocess">, { world }: Desk) {
  const now = world.clock.now();
  if (action === "list") {
    const seen = await seeAll(world, { ended: false, thread: undefined });
    return { processes: seen.map((each) => processObject(each, now)) };
  }
  if (handle_id === undefined)
    throw new Problem("E_USAGE", { what: "No process is meant.", why: `${action} needs a handle_id.` });
  const seen = await resolveProcess(world, handle_id);
  if (action === "status") return processObject(seen, now);
  if (action === "logs") return { lines: world.processes?.tail(refOf(seen), tail) ?? [] };
  requirePerson("rpc");
  const over = await world.processes?.stop(refOf(seen), person());
  return { stopped: over?.why !== "elsewhere", why: over?.why ?? "gone", exit_code: over?.exitCode ?? null };
}
