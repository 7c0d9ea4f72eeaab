/**
 * `selvage verify`: recomputes from the journal everything that follows from it, and compares. `selvage verify ITEM…`:
 * holds items against their signatures. Neither changes anything, and neither trusts.
 */
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import { stripControls } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import type { Finding } from "../house.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { FAILED, itemObject, itemText, SEPARATE } from "../signature-text.ts";

export function verifyCommand(play: Play): Command {
  return new Command("verify")
    .description("check every journal and every figure that follows from it; with items, their signatures")
    .argument("[items...]", "a path, or directive:NAME, tool:NAME, knowledge:NAME, skill:NAME, bundle:ID")
    .option("--key <signer>", "only this signer counts: a name of signer ls, or a key")
    .action((items: string[], options: ItemOptions) =>
      play((session) => (items.length > 0 ? verifyItems(session, items, options) : verify(session))),
    );
}

interface ItemOptions {
  readonly key?: string;
}

async function verifyItems(
  session: Session,
  items: readonly string[],
  options: ItemOptions,
): Promise<Answer> {
  const root = session.house.findProject(session.folder);
  const { bundles } = session.house;
  const paths = items.map((item) => bundles.resolve(root, session.folder, item));
  const reports = [];
  for (const path of new Set(paths)) reports.push(await bundles.check(root, path, options));
  const ok = reports.every((report) => report.ok);
  return {
    kind: "verify.items",
    exit: ok ? EXIT.ok : EXIT.failed,
    data: { ok, items: reports.map(itemObject) },
    text: reports.map(itemText).join("\n"),
    hint: session.flags.quiet ? "" : ok ? SEPARATE : `${SEPARATE}\n${FAILED}`,
  };
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
