/** The archive of `doctor --bundle`: the report, the settings in force and the registry's lines, without secrets or texts. */
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { ThreadRow } from "../../../core/row.ts";
import { tarOf } from "../../../core/tar.ts";
import { type Written, writeNew } from "../new-file.ts";
import type { Session } from "../session.ts";
import { isTrusted } from "./examine.ts";

export async function writeSupport(
  session: Session,
  root: string | undefined,
  report: unknown,
  file: string,
): Promise<Written> {
  const { house } = session;
  const trusted = root !== undefined && isTrusted(session, root);
  const settings = house.config.show(trusted ? root : undefined);
  const rows = root === undefined ? [] : await rowsOf(session, root);
  const entries = [
    ["selvage-support/report.json", report],
    ["selvage-support/settings.json", settings],
    ["selvage-support/threads.json", rows.map(registered)],
  ] as const;
  const archive = tarOf(
    entries.map(([name, value]) => ({
      name,
      bytes: new TextEncoder().encode(`${JSON.stringify(session.terminal.redacted(value), null, 2)}\n`),
    })),
  );
  return writeNew(resolve(session.folder, file), gzipSync(archive), {
    cmd: "selvage doctor --bundle support.tar.gz",
    why: "into a file of another name",
  });
}

async function rowsOf(session: Session, root: string): Promise<readonly ThreadRow[]> {
  try {
    return await session.open(root).world.store.find({});
  } catch {
    return []; // that the store does not open stands in the report
  }
}

/** Where a thread stands; nothing that was said in it. */
function registered(row: ThreadRow) {
  const { thread_id, parent_id, root_id, directive, model, status, suspend_reason, limits } = row;
  const { seq, turns, input_tokens, output_tokens, spent, held, recoveries, epoch, owner, corrupt } = row;
  const about = { thread_id, parent_id, root_id, directive, model, status, suspend_reason, limits };
  const used = { seq, turns, input_tokens, output_tokens, spent, held, recoveries, epoch, owner, corrupt };
  return { ...about, ...used, created_at: row.created_at, updated_at: row.updated_at };
}
