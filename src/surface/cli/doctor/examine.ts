/** Everything that `selvage doctor` looks at, in order. It changes nothing, and runs nothing of the project. */
import type { Check } from "../../../core/diagnosis.ts";
import { rootHere } from "../honoured.ts";
import type { OpenProject } from "../house.ts";
import type { Session } from "../session.ts";
import { looking, skipped } from "./check.ts";
import { clockCheck, keyChecks, runtimeChecks, terminalCheck } from "./machine-checks.ts";
import { configChecks, directiveChecks, hookChecks, toolChecks, trustCheck } from "./project-checks.ts";
import { folderChecks, orphanCheck, overspentCheck, processCheck, storedChecks } from "./state-checks.ts";

export interface Examined {
  readonly root: string | undefined;
  readonly checks: readonly Check[];
}

export async function examine(
  session: Session,
  { offline }: { readonly offline: boolean },
): Promise<Examined> {
  const { house } = session;
  const root = rootHere(session);
  const trusted = root !== undefined && isTrusted(session, root);
  // Nothing is asked of anybody because of a project that came from elsewhere (F7).
  const isAlone = offline || (root !== undefined && !trusted);
  const keys = await keyChecks(house, trusted ? root : undefined, { offline: isAlone, now: Date.now });
  const inside = root === undefined ? none() : await insideChecks(session, root, keys.offBy);
  const checks = [
    ...(await looking("runtime.node", () => runtimeChecks(house.surroundings))),
    ...(await looking("config.files", () => configChecks(house, root))),
    ...keys.checks,
    ...inside,
    ...(root === undefined ? [clockCheck(Date.now(), undefined, keys.offBy)] : []),
    terminalCheck(session),
  ];
  return { root, checks };
}

/** A store that cannot be read is nobody's; what is wrong with it is told among the checks. */
export function isTrusted({ house }: Session, root: string): boolean {
  try {
    return house.trustOf(root).trusted;
  } catch {
    return false;
  }
}

function none(): Check[] {
  return [skipped("project.trust", "no project here: selvage init makes one")];
}

async function insideChecks(session: Session, root: string, offBy: number | null): Promise<Check[]> {
  const folder = await looking("state.folder", () => folderChecks(session.house.surroundings, root));
  let project: OpenProject | undefined;
  const opened = await looking("state.integrity", () => {
    project = session.open(root);
    return [];
  });
  if (!project) return [...opened, ...folder];
  const { world } = project;
  const found = project;
  return [
    trustCheck(found),
    ...(await looking("project.directives", () => directiveChecks(found))),
    ...(await looking("project.tools", () => toolChecks(found))),
    ...(await looking("hooks.files", () => hookChecks(found))),
    ...(await looking("state.integrity", () => storedChecks(found))),
    ...(await looking("state.orphans", async () => [await orphanCheck(world)])),
    ...folder,
    ...(await looking("ledger.limits", async () => [await overspentCheck(world)])),
    ...(await looking("processes.managed", async () => [await processCheck(world)])),
    ...(await looking("clock.time", async () => {
      const rows = await world.store.find({});
      const latest = rows
        .map(({ updated_at }) => updated_at)
        .sort()
        .at(-1);
      return [clockCheck(world.clock.now(), latest, offBy)];
    })),
  ];
}
