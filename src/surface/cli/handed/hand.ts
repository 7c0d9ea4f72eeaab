/** `export --html|--md|--jsonl`: a run in one file for somebody else. The store is read, and nothing in it changes. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { chainOf } from "../../../core/chain-links.ts";
import type { Event } from "../../../core/event.ts";
import { EXIT } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { spelledOut } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import type { OpenProject } from "../house.ts";
import { bytes, counted } from "../moment.ts";
import { writeNew } from "../new-file.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { accountOf, type Read } from "./account.ts";
import { htmlPage } from "./html.ts";
import { markdownPage } from "./markdown.ts";

export type Form = "html" | "md" | "jsonl";

export interface HandOptions {
  readonly form: Form;
  readonly chain: boolean;
  /** Also without what tools were given and said, and without names of people. */
  readonly redact: boolean;
  /** `-` is stdout. */
  readonly output: string | undefined;
}

export async function handOver(session: Session, id: string, options: HandOptions): Promise<Answer> {
  const project = session.open();
  const { store, clock } = project.world;
  const row = await resolveThread(store, id);
  const rows = options.chain ? await chainOf(store, row) : [row];
  const read: Read[] = [];
  for (const each of rows) {
    const { events, damage } = await store.load(each.thread_id);
    if (damage)
      session.warn(`${each.thread_id} is damaged after event ${damage.last_good}: the rest is not there.`);
    const shown = session.terminal.redacted(options.redact ? events.map(withoutDetails) : events);
    read.push({ row: each, events: shown, damage: damage?.why ?? null });
  }
  const made = `Exported by selvage ${session.house.version} at ${new Date(clock.now()).toISOString()}`;
  const text = render(options.form, row, read, made);
  const masked = text.match(/\[secret(?: [\w.-]{1,100})?\]/g)?.length ?? 0;
  const data = { threads: read.length, masked, form: options.form };
  if (options.output === "-") return toStdout(session, text, data);
  const name = options.output ?? `${row.thread_id.replaceAll("/", "-")}.${options.form}`;
  const written = writeNew(resolve(session.folder, name), Buffer.from(text), {
    cmd: `selvage export ${row.thread_id} --${options.form} -o other.${options.form}`,
    why: "into a file of another name",
  });
  if (!options.redact) note(project, read);
  const secrets = `${counted(masked, "secret")} masked`;
  const said = `Wrote ${name} (one file, ${bytes(written.bytes)}, ${secrets}).`;
  return { kind: "export.handed", exit: EXIT.ok, data: { ...written, ...data }, text: said };
}

/** A program gets what it asked for inside the answer; lines are records, and the answer follows them. */
function toStdout({ terminal }: Session, text: string, about: { readonly form: Form }): Answer {
  const isLines = terminal.look.format === "jsonl" && about.form === "jsonl";
  if (isLines) for (const line of text.split("\n")) if (line !== "") terminal.record(JSON.parse(line));
  const content = terminal.isMachine && !isLines ? { content: text } : {};
  const data = { path: null, bytes: Buffer.byteLength(text), ...about, ...content };
  return { kind: "export.handed", exit: EXIT.ok, data, text: text.trimEnd() };
}

/** For `prune`: somebody has it outside. That this cannot be written down is no reason to fail. */
function note({ trusted, files }: OpenProject, read: readonly Read[]): void {
  if (!trusted) return;
  for (const { row, events, damage } of read) {
    try {
      if (damage === null) files.noteExported(row.thread_id, events.length);
    } catch {
      // Then it counts as not exported, and is asked about.
    }
  }
}

function render(form: Form, row: ThreadRow, read: readonly Read[], made: string): string {
  switch (form) {
    case "jsonl":
      return read
        .flatMap(({ events }) => events.map((event) => `${spelledOut(JSON.stringify(event))}\n`))
        .join("");
    case "md":
      return markdownPage(read.map(accountOf), made);
    case "html":
      return htmlPage(row.thread_id, read.map(accountOf), made);
  }
}

const LEFT_OUT = "[left out]";

function withoutDetails(event: Event): Event {
  const known = inText(event, homedir(), "~");
  const nameless = "by" in known && typeof known.by === "string" ? { ...known, by: "somebody" } : known;
  switch (nameless.type) {
    case "tool_call_start":
      return { ...nameless, input: LEFT_OUT, preceding: [] } as Event;
    case "tool_call_result":
      return { ...nameless, output: LEFT_OUT };
    case "cognition_out":
      return {
        ...nameless,
        content: nameless.content.map((block) =>
          block.type === "call" ? { ...block, input: LEFT_OUT } : block,
        ),
      };
    default:
      return nameless;
  }
}

function inText<T>(value: T, text: string, shown: string): T {
  if (text.length < 2) return value;
  return JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(text).slice(1, -1), shown));
}
