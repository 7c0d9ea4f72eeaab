/** What is stored: whether it holds together, whom nobody looks after, and whether there is room for more. */
import type { Check } from "../../../core/diagnosis.ts";
import { showShort } from "../../../core/money.ts";
import type { Surroundings } from "../../../core/surroundings.ts";
import { foldThread } from "../../../core/thread.ts";
import type { World } from "../../../core/world.ts";
import type { Finding, OpenProject } from "../house.ts";
import { bytes, counted } from "../moment.ts";
import { seeProcesses } from "../process-text.ts";
import { surveyLive } from "../survey.ts";
import { bad, good, odd, skipped } from "./check.ts";

const LITTLE_BYTES = 200_000_000;
const TOO_LITTLE_BYTES = 20_000_000;

export async function storedChecks(project: OpenProject): Promise<Check[]> {
  const { threads, events, findings } = await project.verify();
  const money = findings.filter(({ part }) => part === "ledger");
  const other = findings.filter(({ part }) => part !== "ledger");
  const scope = `${counted(threads, "thread")}, ${counted(events, "event")}`;
  const cmd = "selvage verify";
  return [
    other.length === 0
      ? good("state.integrity", `${scope}: all hold`)
      : bad("state.integrity", `${scope}: ${counted(other.length, "finding")}`, {
          detail: other.map(said),
          cmd,
        }),
    money.length === 0
      ? good("ledger.sums", `sums agree for ${counted(threads, "thread")}`)
      : bad("ledger.sums", counted(money.length, "sum that does not agree", "sums that do not agree"), {
          detail: money.map(said),
          cmd,
        }),
  ];
}

function said({ thread_id, what }: Finding): string {
  return `${thread_id ?? "store"}: ${what}`;
}

/** A bill is never cut to fit: what went over its limit is told. */
export async function overspentCheck({ store }: World): Promise<Check> {
  const over: string[] = [];
  for (const { root_id } of await store.find({ onlyRoots: true })) {
    for (const { row, statement } of await store.family(root_id)) {
      const { cap = null, spent = 0, held = 0 } = statement?.account ?? {};
      if (cap !== null && spent + held > cap) {
        over.push(`${row.thread_id}: ${showShort(spent + held)} of ${showShort(cap)}`);
      }
    }
  }
  if (over.length === 0) return good("ledger.limits", "nobody is over a spend limit");
  return odd("ledger.limits", `${counted(over.length, "thread")} over a spend limit`, {
    detail: over,
    cmd: "selvage cost",
  });
}

export async function orphanCheck(world: World): Promise<Check> {
  const live = await surveyLive(world);
  const left = live.filter(({ isAbandoned }) => isAbandoned);
  if (left.length === 0) return good("state.orphans", `${live.length} live, nobody left behind`);
  return odd("state.orphans", `${counted(left.length, "thread")} orphaned`, {
    detail: left.map(({ row }) => row.thread_id),
    cmd: "selvage recover",
  });
}

export async function processCheck(world: World): Promise<Check> {
  const seen = [];
  for (const sighting of await surveyLive(world)) {
    const { events } = await world.store.load(sighting.row.thread_id);
    const thread = foldThread(sighting.row.thread_id, events);
    seen.push(...(await seeProcesses(world, thread, sighting)));
  }
  const alive = seen.filter(({ state }) => state.type === "running");
  const left = alive.filter(({ isLeftOver }) => isLeftOver);
  if (left.length > 0) {
    return odd("processes.managed", `${counted(left.length, "process", "processes")} left over`, {
      detail: left.map(({ kept, thread }) => `${kept.handle} of ${thread.id}, pid ${kept.pid}`),
      cmd: "selvage recover",
    });
  }
  const gone = seen.length - alive.length;
  const say =
    gone > 0 ? `${alive.length} managed and alive, ${gone} that ended unseen` : `${alive.length} managed`;
  return good("processes.managed", say);
}

export function folderChecks(surroundings: Surroundings, root: string): Check[] {
  const { isWritable, freeBytes, leftovers, isIgnored, journalMode, storeBytes } = surroundings.folder(root);
  return [
    isWritable
      ? good(
          "state.folder",
          `${bytes(storeBytes)}${journalMode === null ? "" : `, journal mode ${journalMode}`}`,
        )
      : bad("state.folder", "the folder of the store cannot be written", { cmd: "selvage explain E_DISK" }),
    roomCheck(freeBytes),
    ...(leftovers.length > 0
      ? [
          odd("state.leftovers", `${counted(leftovers.length, "temporary file")} left by a crash, harmless`, {
            detail: leftovers,
            cmd: "selvage doctor --fix",
            safe: true,
          }),
        ]
      : []),
    ...(isIgnored === false
      ? [
          odd("project.ignored", "threads are not kept out of git: .ai/threads/ is missing in .gitignore", {
            cmd: "selvage doctor --fix",
            safe: true,
          }),
        ]
      : []),
  ];
}

function roomCheck(freeBytes: number | null): Check {
  if (freeBytes === null) return skipped("state.room", "this file system does not tell what is free");
  const say = `${bytes(freeBytes)} free`;
  if (freeBytes < TOO_LITTLE_BYTES) return bad("state.room", say, { cmd: "selvage prune --dry-run" });
  if (freeBytes < LITTLE_BYTES) return odd("state.room", say, { cmd: "selvage prune --dry-run" });
  return good("state.room", say);
}
