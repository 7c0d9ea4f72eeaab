/** `selvage show`: everything about one thread. */
import { Command } from "commander";
import { type Capabilities, capabilitiesOf } from "../../../core/capabilities.ts";
import { inFlight } from "../../../core/recover.ts";
import { oneLine, stripControls } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { childLines, childObject } from "../child-text.ts";
import { correctableObject } from "../cost-lines.ts";
import { cutOffLines } from "../cost-text.ts";
import { VIEWS } from "../glyph.ts";
import { age, counted, shortTime } from "../moment.ts";
import { stateText as processState } from "../process-text.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import { suspendedSteps } from "../result.ts";
import { rightsNow } from "../rights-now.ts";
import { networkObject, networkText, rightsLine, rightsParts } from "../rights-text.ts";
import type { Session } from "../session.ts";
import { type PartOptions, partsOf, useText } from "../show-parts.ts";
import { surveyOne } from "../survey.ts";
import { type Seen, seeThread, type ThreadObject, threadObject } from "../thread-object.ts";

interface ShowOptions extends PartOptions {
  readonly caps?: boolean;
}

export function showCommand(play: Play): Command {
  return new Command("show")
    .description("everything about one thread")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option("--caps", "only its rights, in full")
    .option("--state", "only where it stands, as it follows from its journal")
    .option("--limits", "only its limits against what it used")
    .option("--hooks", "only the hooks that were asked so far, and what they said")
    .option("--paths", "only its files")
    .action((id: string, options: ShowOptions) => play((session) => show(session, id, options)));
}

async function show(session: Session, id: string, { caps, ...options }: ShowOptions): Promise<Answer> {
  const project = session.open();
  const { world } = project;
  const row = await resolveThread(world.store, id);
  const found = await seeThread(world, await surveyOne(world, row));
  const seen = { ...found, thread: { ...found.thread, rights: rightsNow(found) } };
  const data = {
    ...threadObject(seen),
    inputs: seen.thread.inputs,
    tools: seen.thread.tools,
    children: Object.values(seen.thread.children).map(childObject),
    correctable: seen.correctable.map(correctableObject),
    capabilities: capabilitiesOf(seen.thread.rights),
    in_flight: inFlight(seen.thread).map(({ call_id, tool, effect }) => ({ call_id, tool, effect })),
    files: `.ai/threads/${row.thread_id}/`,
  };
  const answer = { kind: "thread.result", exit: 0 };
  const parts = await partsOf(session, project, seen, options);
  if (parts) return { ...answer, data: { ...data, ...parts.data }, text: parts.text };
  if (!caps) return { ...answer, data, text: describe(session, seen, data, world.clock.now()) };
  const sandbox = project.sandbox();
  const network = networkObject(seen.thread, sandbox);
  const text = describeRights(session, seen, data, networkText(seen.thread, sandbox));
  return { ...answer, data: { ...data, network }, text };
}

function describe(session: Session, seen: Seen, thread: ThreadObject, now: number): string {
  const { out, look } = session.terminal;
  const sign = look.ascii ? VIEWS[thread.view].ascii : VIEWS[thread.view].glyph;
  const line = (label: string, text: string) => `  ${out.dim(label.padEnd(9))} ${text}`;
  return [
    out.bold(thread.thread_id),
    line("state", stateText(thread, sign, now)),
    line("directive", `${thread.directive} · ${oneLine(thread.model, 60)}`),
    ...relativeLines(thread, line),
    ...(thread.forked_from
      ? [line("forked", `from ${thread.forked_from.thread_id} after turn ${thread.forked_from.turn}`)]
      : []),
    line("use", useText(thread)),
    line("spend", spendText(thread)),
    ...cutOffLines(seen.correctable).map((text, at) => line(at === 0 ? "charges" : "", text)),
    line("rights", rightsLine(capabilitiesOf(seen.thread.rights))),
    ...(thread.approval ? [line("asks", `${thread.approval} · selvage approvals ${thread.approval}`)] : []),
    ...(thread.resumes_at
      ? [line("resumes", `${shortTime(thread.resumes_at, now)}, if something hosts it`)]
      : []),
    line("started", `${thread.created_at} (${age(now - Date.parse(thread.created_at))} ago)`),
    ...(thread.host
      ? [line("owner", `pid ${thread.host.pid ?? "?"}, ${thread.host.alive ? "alive" : "gone"}`)]
      : []),
    ...(thread.recoveries > 0 ? [line("survived", counted(thread.recoveries, "crash", "crashes"))] : []),
    ...childLines(seen).map((text, at) => line(at === 0 ? "children" : "", text)),
    ...inFlight(seen.thread).map(({ tool, effect, input }) =>
      line("in flight", `${tool} (${effect}) ${oneLine(JSON.stringify(input) ?? "", 80)}`),
    ),
    ...thread.processes.map((each) =>
      line(
        "process",
        `${each.handle_id} ${oneLine(each.command, 60)} · pid ${each.pid} · ${processState(each)}`,
      ),
    ),
    ...(thread.error ? [line("error", oneLine(thread.error.message, 200))] : []),
    ...(thread.result
      ? [
          line(
            "result",
            stripControls(thread.result.text)
              .split("\n")
              .join(`\n${" ".repeat(12)}`),
          ),
        ]
      : []),
    line("journal", `${counted(thread.last_event_seq, "event")} · files in .ai/threads/${thread.thread_id}/`),
    ...nextSteps(seen, thread, now).map((command) => line("next", command)),
  ].join("\n");
}

function relativeLines(thread: ThreadObject, line: (label: string, text: string) => string): string[] {
  const { parent_id, root_id, thread_id } = thread;
  const { position, length } = thread.chain;
  return [
    ...(parent_id === null ? [] : [line("parent", `${parent_id} · selvage tree ${root_id}`)]),
    ...(length > 1 ? [line("chain", `${position} of ${length} · selvage chain ${thread_id}`)] : []),
  ];
}

function spendText({ cost, budget }: ThreadObject): string {
  if (cost.spend === null) return `— · ${counted(cost.tokens, "token")} of a model without a price`;
  if (!budget) return `$${cost.spend}`;
  const held = Number(budget.reserved) > 0 ? ` · $${budget.reserved} reserved` : "";
  const over = Number(budget.over) > 0 ? ` · $${budget.over} over` : ` · $${budget.free} free`;
  return `$${budget.spent} of $${budget.max}${held}${over}`;
}

function describeRights(
  { terminal }: Session,
  { thread }: Seen,
  { capabilities }: { readonly capabilities: Capabilities },
  network: string,
): string {
  const { out } = terminal;
  const line = (label: string, text: string) => `  ${out.dim(label.padEnd(10))} ${text}`;
  return [
    out.bold(thread.id),
    ...rightsParts(thread, capabilities, network).flatMap(([label, lines]) =>
      lines.map((text, at) => line(at === 0 ? label : "", text)),
    ),
    line("next", `selvage explain-denial ${thread.id} RIGHT    why it may or may not`),
  ].join("\n");
}

function stateText(thread: ThreadObject, sign: string, now: number): string {
  const { view, suspend_reason, now: moment } = thread;
  const since = age(now - Date.parse(moment.since));
  const reason = suspend_reason ? ` (${suspend_reason})` : "";
  if (moment.doing === view) return `${sign} ${view} ${since} ago`;
  return `${sign} ${view}${reason} for ${since} · ${oneLine(moment.doing, 200)}`;
}

function nextSteps(seen: Seen, thread: ThreadObject, now: number): string[] {
  const { thread_id, view } = thread;
  switch (view) {
    case "orphaned":
      return [`selvage recover ${thread_id}`];
    case "suspended":
      return suspendedSteps(seen, thread, now).map(({ cmd }) => cmd);
    case "completed":
    case "error":
    case "cancelled":
      return [`selvage logs ${thread_id}`];
    case "retrying":
      return [`selvage retry ${thread_id} --now`, `selvage cancel ${thread_id}`];
    default:
      return [`selvage logs -f ${thread_id}`, `selvage cancel ${thread_id}`];
  }
}
