/** `selvage replay`: runs a recorded thread again against its journal. Nothing is executed and nothing is written. */
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import type { Answer } from "../answer.ts";
import { damagedThread } from "../damaged-thread.ts";
import { another } from "../limits-given.ts";
import type { Play } from "../program.ts";
import { replayHint, replayText } from "../replay-text.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";

interface ReplayOptions {
  readonly policy?: readonly string[];
}

export function replayCommand(play: Play): Command {
  return new Command("replay")
    .description("run a recorded thread again against its journal, with nothing executed")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option(
      "--policy <file>",
      "with settings, error rules or hooks of this file instead (again for more)",
      another,
    )
    .action((id: string, { policy = [] }: ReplayOptions) => play((session) => replay(session, id, policy)));
}

async function replay(session: Session, id: string, policies: readonly string[]): Promise<Answer> {
  const project = session.open();
  const { store } = project.world;
  const { thread_id: threadId } = await resolveThread(store, id);
  const { damage } = await store.load(threadId);
  if (damage) throw damagedThread(threadId, damage);
  const replayed = await project.replay(threadId, policies);
  const { divergences } = replayed;
  const exit = divergences.length === 0 ? EXIT.ok : EXIT.failed;
  const data = {
    ...replayed,
    divergences: divergences.map(({ now = null, recorded = null, instead = null, ...rest }) => ({
      ...rest,
      recorded,
      now,
      instead,
    })),
  };
  const text = replayText(replayed, policies.length > 0);
  return { kind: "replay", exit, data, text, hint: replayHint(replayed) };
}
