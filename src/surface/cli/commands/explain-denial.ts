/** `selvage explain-denial`: whether a thread may do something, why, and which line in which file would allow it (K4). */
import { Command } from "commander";
import { type Explanation, explainRight } from "../../../core/explain-right.ts";
import { orchestrationTool } from "../../../core/orchestration.ts";
import type { NextStep } from "../../../core/problem.ts";
import { shortRight, toolNamed } from "../../../core/right.ts";
import type { Thread } from "../../../core/thread.ts";
import type { Answer } from "../answer.ts";
import { damagedThread } from "../damaged-thread.ts";
import { notesOn, reasons } from "../explain-text.ts";
import { type Grantor, grantorsOf } from "../grant-file.ts";
import { knownTools } from "../known-tools.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import { givenRight, noSuchTool } from "../right-given.ts";
import { rightsNow } from "../rights-now.ts";
import type { Session } from "../session.ts";
import { stepLines } from "../step-lines.ts";
import { requireSeen } from "../thread-object.ts";

export function explainDenialCommand(play: Play): Command {
  return new Command("explain-denial")
    .description("whether a thread may do something, why, and what would allow it")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .argument("<right>", "a right, such as execute.tool.bash, or the name of a tool")
    .action((id: string, right: string) => play((session) => explainDenial(session, id, right)));
}

async function explainDenial(session: Session, id: string, text: string): Promise<Answer> {
  const project = session.open();
  const { thread_id: threadId } = await resolveThread(project.world.store, id);
  const seen = await requireSeen(project.world, threadId);
  const { sighting } = seen;
  const thread = { ...seen.thread, rights: rightsNow(seen) };
  if (sighting.damage && thread.directive === "") throw damagedThread(threadId, sighting.damage);
  const tools = await knownTools(project);
  const right = givenRight(threadId, text, tools ?? thread.tools);
  const named = toolNamed(right);
  const isKnown = (tool: string) =>
    [...(tools ?? []), ...thread.tools].includes(tool) || orchestrationTool(tool, {}) !== undefined;
  if (named !== undefined && tools && !isKnown(named)) throw noSuchTool(threadId, named, tools);
  const explained = explainRight(thread, right);
  const grants = await grantorsOf(project, explained.missing, right);
  const found = {
    explained,
    grants,
    why: reasons(thread, explained),
    notes: [
      ...notesOn(thread, explained, () => project.sandbox()),
      ...grants.filter(({ declared }) => declared).map(({ path }) => `${path} grants it by now`),
    ],
  };
  const { verdict, asked_by, revoked, within } = explained;
  const next = nextSteps(thread, found, project.trusted);
  const data = {
    ...{ thread_id: threadId, directive: thread.directive, status: sighting.row.status },
    ...{ right, verdict, why: found.why, asked_by, revoked, grants, within, notes: found.notes, next },
  };
  return { kind: "explain.denial", exit: 0, data, text: describe(session, thread, found, next) };
}

interface Found {
  readonly explained: Explanation;
  readonly grants: readonly Grantor[];
  readonly why: readonly string[];
  readonly notes: readonly string[];
}

const VERDICTS = {
  allowed: { sign: "✓", words: "may do this" },
  asks: { sign: "?", words: "asks a person first, each time" },
  denied: { sign: "✗", words: "may not do this" },
} as const;

function describe(session: Session, thread: Thread, found: Found, next: readonly NextStep[]): string {
  const { explained, grants, why, notes } = found;
  const { verdict, right } = explained;
  const { flags, terminal } = session;
  if (flags.quiet) return verdict;
  if (flags.plain) return [verdict, shortRight(right), why.join("; ")].join("\t");
  const { sign, words } = VERDICTS[verdict];
  const part = (label: string, lines: readonly string[]) =>
    lines.map((line, at) => `  ${terminal.out.dim((at === 0 ? label : "").padEnd(4))}  ${line}`);
  return [
    `${sign} ${thread.id} ${words}: ${shortRight(right)}`,
    ...part("why", why),
    ...part("note", notes),
    ...part("add", grants.filter(({ declared }) => !declared).map(addText)),
    ...stepLines(next),
  ].join("\n");
}

function addText({ add, path, line, list, form }: Grantor): string {
  const fresh = form === "xml" ? `in the <metadata> of ${path}` : `a new line in the head of ${path}`;
  const where = line === null ? fresh : `to the ${list} in ${path}:${line}`;
  return `${add}   ${where}${list === "delegates" ? " (permissions, if it is to use it itself)" : ""}`;
}

function nextSteps(
  { id, rights, directive }: Thread,
  { explained, grants }: Found,
  trusted: boolean,
): NextStep[] {
  if (explained.verdict === "asks") return [{ cmd: "selvage approvals", why: "what is asked now" }];
  if (explained.verdict === "allowed")
    return [{ cmd: `selvage show ${id} --caps`, why: "all that it may do" }];
  const first = rights.above[0]?.directive ?? directive;
  const changes = !trusted || grants.some(({ declared }) => !declared);
  const run = `starts one that has it${explained.revoked.length > 0 ? "; what was taken away does not come back" : ": a thread keeps the rights it was started with"}`;
  return [
    ...(changes ? [{ cmd: "selvage trust", why: "says yes to what you changed" }] : []),
    { cmd: `selvage run ${first}`, why: run },
  ];
}
