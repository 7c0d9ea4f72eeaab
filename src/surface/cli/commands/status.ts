/** `selvage` alone: the project at a glance, or what this is. */

import { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import { isTerminal, STATUSES } from "../../../core/status.ts";
import { projectHost } from "../../host/project-host.ts";
import type { Answer } from "../answer.ts";
import { readInbox } from "../approval-inbox.ts";
import { VIEW_ORDER, VIEWS } from "../glyph.ts";
import { hostName, hostObject } from "../host-text.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { looker, surveyLive } from "../survey.ts";

const ABOUT = [
  "selvage runs LLM agents so that no crash loses finished work or repeats it.",
  "",
  "  selvage demo          a story of 25 s: waves, a rate limit, a real crash, recovery, an approval; no key needed",
  "  selvage init          make a project here",
  "  selvage --help        all commands",
].join("\n");

export function statusCommand(play: Play): Command {
  return new Command("status")
    .description("the project at a glance; also `selvage` alone")
    .action(() => play(status));
}

export async function status(session: Session): Promise<Answer> {
  const root = findRoot(session);
  if (root === undefined) return { kind: "status", exit: EXIT.ok, data: { project: null }, text: ABOUT };
  const { world, trusted } = session.open(root);
  const live = await surveyLive(world);
  const look = await looker(world);
  const ended = (await world.store.find({ statuses: STATUSES.filter(isTerminal) })).map((row) => look(row));
  const counts = Object.fromEntries(
    VIEW_ORDER.map((view) => [view, [...live, ...ended].filter((one) => one.view === view).length]),
  );
  const inbox = await readInbox(world, { all: false });
  const [first] = inbox;
  const next = !trusted
    ? "selvage trust"
    : (first?.object.command ?? (live.length + ended.length === 0 ? "selvage run hello" : "selvage ps -a"));
  const about = trusted && first ? `     ${first.object.thread_id}: ${first.asks}` : "";
  const shown = VIEW_ORDER.filter((view) => counts[view]).map(
    (view) => `${VIEWS[view].glyph} ${counts[view]} ${view}`,
  );
  const host = await projectHost(world);
  const hosted = host ? ` · hosted by ${hostName(root, host, world.clock.now())}` : "";
  const text = [
    `${root}${trusted ? "" : " · not trusted"}${hosted}`,
    `  ${shown.length === 0 ? "no threads yet" : shown.join("    ")}`,
    `  next   ${next}${about}`,
  ];
  return {
    kind: "status",
    exit: EXIT.ok,
    data: {
      project: root,
      trusted,
      host: hostObject(root, host),
      counts,
      needs_you: inbox.map(({ object }) => object),
      next,
    },
    text: text.join("\n"),
  };
}

function findRoot(session: Session): string | undefined {
  try {
    return session.house.findProject(session.folder);
  } catch (error) {
    // Outside a project is a fine place to ask what this is, unless a folder was named.
    if (error instanceof Problem && error.code === "E_NO_PROJECT" && session.flags.project === undefined)
      return undefined;
    throw error;
  }
}
