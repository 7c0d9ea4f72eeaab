/** `selvage show`: everything about one thread. */
import { Command } from "commander";
import { inFlight } from "../../../core/recover.ts";
import { oneLine, stripControls } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { VIEWS } from "../glyph.ts";
import { age, counted } from "../moment.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { surveyOne } from "../survey.ts";
import { type Seen, seeThread, type ThreadObject, threadObject } from "../thread-object.ts";

export function showCommand(play: Play): Command {
  return new Command("show")
    .description("everything about one thread")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .action((id: string) => play((session) => show(session, id)));
}

async function show(session: Session, id: string): Promise<Answer> {
  const { world } = session.open();
  const row = await resolveThread(world.store, id);
  const seen = await seeThread(world, await surveyOne(world, row));
  const data = {
    ...threadObject(seen),
    inputs: seen.thread.inputs,
    tools: seen.thread.tools,
    in_flight: inFlight(seen.thread).map(({ call_id, tool, effect }) => ({ call_id, tool, effect })),
    files: `.ai/threads/${row.thread_id}/`,
  };
  return { kind: "thread.result", exit: 0, data, text: describe(session, seen, data, world.clock.now()) };
}

function describe(session: Session, seen: Seen, thread: ThreadObject, now: number): string {
  const { out, look } = session.terminal;
  const sign = look.ascii ? VIEWS[thread.view].ascii : VIEWS[thread.view].glyph;
  const line = (label: string, text: string) => `  ${out.dim(label.padEnd(9))} ${text}`;
  const { cost } = thread;
  return [
    out.bold(thread.thread_id),
    line("state", stateText(thread, sign, now)),
    line("directive", `${thread.directive} · ${oneLine(thread.model, 60)}`),
    line(
      "use",
      `${counted(cost.turns, "turn")} · ${counted(cost.tokens, "token")} · ${cost.duration_seconds}s · spend —`,
    ),
    line("started", `${thread.created_at} (${age(now - Date.parse(thread.created_at))} ago)`),
    ...(thread.host
      ? [line("owner", `pid ${thread.host.pid ?? "?"}, ${thread.host.alive ? "alive" : "gone"}`)]
      : []),
    ...(thread.recoveries > 0 ? [line("survived", counted(thread.recoveries, "crash", "crashes"))] : []),
    ...inFlight(seen.thread).map(({ tool, effect, input }) =>
      line("in flight", `${tool} (${effect}) ${oneLine(JSON.stringify(input) ?? "", 80)}`),
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
    ...nextSteps(thread).map((command) => line("next", command)),
  ].join("\n");
}

function stateText(thread: ThreadObject, sign: string, now: number): string {
  const { view, suspend_reason, now: moment } = thread;
  const since = age(now - Date.parse(moment.since));
  const reason = suspend_reason ? ` (${suspend_reason})` : "";
  if (moment.doing === view) return `${sign} ${view} ${since} ago`;
  return `${sign} ${view}${reason} for ${since} · ${oneLine(moment.doing, 200)}`;
}

function nextSteps({ thread_id, view, suspend_reason }: ThreadObject): string[] {
  switch (view) {
    case "orphaned":
      return [`selvage recover ${thread_id}`];
    case "suspended":
      return suspend_reason === "corrupt"
        ? [`selvage recover ${thread_id} --mark-error`]
        : [`selvage recover ${thread_id}`, `selvage cancel ${thread_id}`];
    case "completed":
    case "error":
    case "cancelled":
      return [`selvage logs ${thread_id}`];
    default:
      return [`selvage logs -f ${thread_id}`, `selvage cancel ${thread_id}`];
  }
}
