/** `selvage verify`: recomputes from the journal everything that follows from it, and compares. Changes nothing. */
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import { stripControls } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import type { Finding } from "../house.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";

export function verifyCommand(play: Play): Command {
  return new Command("verify")
    .description("check every journal and every figure that follows from it")
    .action(() => play(verify));
}

async function verify(session: Session): Promise<Answer> {
  const report = await session.open().verify();
  const { threads, events, findings } = report;
  const scope = `${counted(threads, "thread")}, ${counted(events, "event")}`;
  if (findings.length === 0)
    return { kind: "verify", exit: EXIT.ok, data: report, text: `✓ ${scope}: all hold.` };
  const text = [`✗ ${scope}: ${counted(findings.length, "finding")}`, ...findings.map(describe)].join("\n");
  const [damaged] = findings.flatMap(({ thread_id }) => thread_id ?? []);
  const hint = damaged
    ? `  next  selvage recover ${damaged} --mark-error`
    : "  next  selvage explain E_CORRUPT";
  return { kind: "verify", exit: EXIT.failed, data: report, text, hint };
}

function describe({ thread_id, last_good, what }: Finding): string {
  const where = thread_id ?? "store";
  const good = last_good === null ? "" : ` (last good event ${last_good})`;
  return `  ${where}: ${stripControls(what)}${good}`;
}
