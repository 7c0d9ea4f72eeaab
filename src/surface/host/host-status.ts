/** How a project is at the moment, in numbers and in one line: for who asks its host, and for systemd. */
import { showDollars, showShort } from "../../core/money.ts";
import type { World } from "../../core/world.ts";
import type { View } from "../cli/glyph.ts";
import { surveyLive } from "../cli/survey.ts";
import type { SpendToday } from "./spend-today.ts";

export interface HostStatus {
  /** Threads that have not ended, by what is shown of them. */
  readonly counts: Readonly<Partial<Record<View, number>>>;
  readonly spend_today: string;
  readonly text: string;
}

export async function hostStatus(world: World, spend: SpendToday): Promise<HostStatus> {
  const counts: Partial<Record<View, number>> = {};
  for (const { view } of await surveyLive(world)) counts[view] = (counts[view] ?? 0) + 1;
  const today = await spend.look();
  return {
    counts,
    spend_today: showDollars(today),
    text: `${countsText(counts)}, ${showShort(today)} today`,
  };
}

/** Those at work come first, whatever they are at; then those that somebody has to do something about. */
export function countsText(counts: HostStatus["counts"]): string {
  const { running = 0, waiting = 0, retrying = 0, stopping = 0, created = 0 } = counts;
  const { suspended = 0, orphaned = 0 } = counts;
  const working = running + waiting + retrying + stopping + created;
  return [
    `${working} running`,
    ...(suspended > 0 ? [`${suspended} ${suspended === 1 ? "needs" : "need"} you`] : []),
    ...(orphaned > 0 ? [`${orphaned} left behind`] : []),
  ].join(", ");
}
