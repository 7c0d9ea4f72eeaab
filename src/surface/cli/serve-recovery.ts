/** What a host does about threads that another process left behind: told when it starts, and asked for later (R3). */
import type { ThreadRow } from "../../core/row.ts";
import { oneLine } from "../../core/text.ts";
import type { OpenProject } from "./house.ts";
import { counted } from "./moment.ts";
import { chooseThreads } from "./recovery-choice.ts";
import { openQuestions, type Planned, planFor, planText, questionLines } from "./recovery-plan.ts";
import type { Session } from "./session.ts";
import type { Sighting } from "./survey.ts";

export const RECOVER_MODES = ["auto", "ask", "off"] as const;
export type RecoverMode = (typeof RECOVER_MODES)[number];

/** Which threads of dead owners may be taken up. */
export class Recoverable {
  readonly #isAuto: boolean;
  readonly #chains = new Set<string>();

  constructor(isAuto: boolean) {
    this.#isAuto = isAuto;
  }

  allow(chainRootIds: Iterable<string>): void {
    for (const id of chainRootIds) this.#chains.add(id);
  }

  mayRecover(row: ThreadRow): boolean {
    return this.#isAuto || this.#chains.has(row.chain_root_id);
  }
}

/** Looks at what was left behind, tells the plan, and finds out what may be taken up. */
export async function recoveryAtStart(
  session: Session,
  project: OpenProject,
  mode: RecoverMode,
): Promise<Recoverable> {
  const recoverable = new Recoverable(mode === "auto");
  const sightings = await chooseThreads(project.world, [], {});
  const left = sightings.filter(({ owner }) => owner === "dead");
  if (left.length === 0) return recoverable;
  if (mode === "auto" || (mode === "ask" && mayAsk(session))) await tellPlan(session, project, sightings);
  const isAgreed =
    mode === "ask" &&
    mayAsk(session) &&
    (await session.terminal.confirm(`Recover ${left.length === 1 ? "it" : `all ${left.length}`}?`, "yes"));
  if (isAgreed) recoverable.allow(left.map(({ row }) => row.chain_root_id));
  else if (mode !== "auto") tellWaiting(session, left.length);
  return recoverable;
}

function mayAsk(session: Session): boolean {
  return session.mayAsk && !session.terminal.isMachine;
}

function tellWaiting({ terminal }: Session, count: number): void {
  const wait = count === 1 ? "was left behind and waits" : "were left behind and wait";
  terminal.say(`▲ ${counted(count, "thread")} ${wait} for you: selvage recover`);
}

/** A plan that cannot be made keeps nobody from being hosted. */
async function tellPlan(
  session: Session,
  project: OpenProject,
  sightings: readonly Sighting[],
): Promise<void> {
  let plan: Planned[] = [];
  try {
    plan = await planFor(project.world, sightings);
  } catch (error) {
    session.warn(`The plan of the recovery cannot be shown: ${oneLine(String(error), 200)}`);
    return;
  }
  const questions = await openQuestions(project.world, plan);
  const title = `${counted(plan.length, "thread")} to take up`;
  session.terminal.print([title, planText(plan), ...questionLines(questions)].join("\n"));
}
