/** `selvage trust`: records that this user trusts what stands in this project (F7). */
import { Command } from "commander";
import type { Answer } from "../answer.ts";
import type { OpenProject } from "../house.ts";
import type { Play } from "../program.ts";
import { type Session, untrusted } from "../session.ts";

interface TrustOptions {
  readonly show?: boolean;
}

export function trustCommand(play: Play): Command {
  return new Command("trust")
    .description("say that you trust what this project would run")
    .option("--show", "only show what it would run, and whether it is trusted")
    .action((options: TrustOptions) => play((session) => trust(session, options)));
}

async function trust(session: Session, { show }: TrustOptions): Promise<Answer> {
  const project = session.open();
  if (show) return answer(project, project.trusted, describe(project));
  if (project.trusted) return answer(project, true, `${project.root} is trusted already.`);
  if (!(await agreed(session, project))) throw untrusted(project.root, project, session.mayAsk);
  // The yes is to a path with a store: from here on it may be made, if there is none.
  const trusted = session.open(project.root, "work");
  trusted.trust();
  return answer(trusted, true, `${project.root} is trusted from now on.`);
}

async function agreed(session: Session, project: OpenProject): Promise<boolean> {
  if (session.flags.yes) return true;
  if (!session.mayAsk) return false;
  session.terminal.say(describe(project));
  return session.terminal.confirm("Trust it?", "no");
}

function answer(project: OpenProject, trusted: boolean, text: string): Answer {
  const { root, world, tools } = project;
  const data = {
    project: root,
    trusted,
    store_id: world.store.storeId,
    changed: project.changedFiles,
    directives: project.directives(),
    tools,
  };
  return { kind: "trust", exit: 0, data, text };
}

function describe(project: OpenProject): string {
  const directives = project.directives();
  return [
    `${project.root} is ${project.trusted ? "trusted" : "not trusted"}.`,
    ...(project.changedFiles.length > 0 ? [`  changed      ${project.changedFiles.join(", ")}`] : []),
    `  directives   ${directives.length === 0 ? "none" : directives.join(", ")}`,
    `  tools        ${project.tools.join(", ")} (bash runs any command as you)`,
    "  settings     .ai/config/*.yaml",
  ].join("\n");
}
