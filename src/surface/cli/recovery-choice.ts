/** Which threads `recover` is about, and why some are refused. */
import { Problem } from "../../core/problem.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { damagedThread } from "./damaged-thread.ts";
import { locked } from "./hosting.ts";
import { requirePerson } from "./operator.ts";
import { requireNoQuestion } from "./question-first.ts";
import { resolveHeads } from "./resolve.ts";
import { type Sighting, surveyLive, surveyOne } from "./survey.ts";

export interface Choice {
  readonly take?: string;
  readonly markError?: boolean;
  readonly markCancelled?: boolean;
}

export async function chooseThreads(
  world: World,
  ids: readonly string[],
  choice: Choice,
): Promise<readonly Sighting[]> {
  const named = choice.take === undefined ? ids : [...ids, choice.take];
  const live = await surveyLive(world);
  if (named.length === 0) {
    const abandoned = live.filter((sighting) => sighting.isAbandoned);
    return [...waitingAbove(live, abandoned), ...abandoned];
  }
  const [taken] = choice.take === undefined ? [] : await resolveHeads(world.store, [choice.take]);
  const chosen: Sighting[] = [];
  for (const row of await resolveHeads(world.store, named)) {
    const sighting = await surveyOne(world, row);
    if (isEnded(sighting, choice)) continue;
    requireFree(sighting, row.thread_id === taken?.thread_id);
    requireWhole(sighting, choice);
    requireAnswered(sighting, choice);
    chosen.push(sighting);
  }
  return choice.markError || choice.markCancelled ? chosen : wholeTrees(live, chosen);
}

/** The whole tree comes back (R4): whoever was left behind in it, and whoever waits for one of them. */
function wholeTrees(live: readonly Sighting[], chosen: readonly Sighting[]): Sighting[] {
  const roots = new Set(chosen.map(({ row }) => row.root_id));
  const ids = new Set(chosen.map(({ row }) => row.thread_id));
  const left = live.filter(
    ({ row, isAbandoned }) => isAbandoned && roots.has(row.root_id) && !ids.has(row.thread_id),
  );
  const members = [...chosen, ...left];
  return [...waitingAbove(live, members), ...members];
}

/** Those above them that are not in the plan themselves: they only wait, and go on when these have ended. */
function waitingAbove(live: readonly Sighting[], members: readonly Sighting[]): Sighting[] {
  const known = new Map(live.map((sighting) => [sighting.row.chain_root_id, sighting]));
  const taken = new Set(members.map(({ row }) => row.thread_id));
  const above = new Map<string, Sighting>();
  for (const { row } of members) {
    for (let id = row.parent_id; id !== null; id = known.get(id)?.row.parent_id ?? null) {
      const sighting = known.get(id);
      if (sighting && !taken.has(sighting.row.thread_id) && sighting.row.status === "running") {
        above.set(sighting.row.thread_id, sighting);
      }
    }
  }
  // The oldest stand at the top of their trees.
  return [...above.values()].sort((left, right) => (left.row.created_at < right.row.created_at ? -1 : 1));
}

/** To recover what has ended is done already; to end it otherwise is not possible any more. */
function isEnded({ row }: Sighting, { markError, markCancelled }: Choice): boolean {
  if (!isTerminal(row.status)) return false;
  if (!markError && !markCancelled) return true;
  throw new Problem("E_WRONG_STATE", {
    what: `${row.thread_id} has ended already: it is ${row.status}.`,
    why: `Since ${row.updated_at}. Nothing was written.`,
    next: [{ cmd: `selvage show ${row.thread_id}`, why: "how it ended" }],
    threadId: row.thread_id,
  });
}

function requireFree({ row, owner, host }: Sighting, isTaken: boolean): void {
  if (isTaken) return;
  if (row.owner !== null && owner !== "dead") throw locked(row.thread_id, row.owner);
  // Who hosts everything takes up what it is asked to.
  if (host && host.scope !== "*") throw locked(row.thread_id, host.owner);
}

function requireWhole({ row, damage }: Sighting, { markError, markCancelled }: Choice): void {
  if (damage && !markError && !markCancelled) throw damagedThread(row.thread_id, damage);
}

/** What waits for an answer is not let go on without one; what has its time or its answer already goes on. */
function requireAnswered({ row, isAbandoned }: Sighting, { markError, markCancelled }: Choice): void {
  if (row.status !== "suspended" || isAbandoned || markError || markCancelled) return;
  requirePerson("recover");
  const { suspend_reason: reason } = row;
  if (reason === "limit" || reason === "approval") requireNoQuestion(row);
}
