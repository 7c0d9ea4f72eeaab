/** `selvage trust`: records that this user trusts what stands in this project (F7). */
import { Command } from "commander";
import { Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import { type TrustSurvey, UNHASHED } from "../../../core/trust-survey.ts";
import type { Answer } from "../answer.ts";
import type { OpenProject } from "../house.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import { type Session, untrusted } from "../session.ts";
import { trustText } from "../trust-text.ts";

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
  // A tool that could say yes to what it has just written would need no yes at all.
  if (!show) requirePerson("trust");
  const project = session.open();
  const survey = project.survey();
  const shown = trustText(project, survey, session.terminal.columns);
  if (show) return answer(project, survey, project.trusted, shown);
  if (project.trusted) return answer(project, survey, true, `${project.root} is trusted already.`);
  refuseUnhashed(project, survey);
  if (!(await agreed(session, shown))) throw untrusted(project.root, project, session.mayAsk);
  // The yes is to a path with a store: from here on it may be made, if there is none.
  const trusted = session.open(project.root, "work");
  trusted.trust(survey);
  return answer(trusted, survey, true, `${project.root} is trusted from now on.`);
}

/** A yes that could not be kept is not asked for. */
function refuseUnhashed({ root }: OpenProject, { files }: TrustSurvey): void {
  const unhashed = files.filter(({ hash }) => hash === UNHASHED).map(({ path }) => oneLine(path, 80));
  if (unhashed.length === 0) return;
  throw new Problem("E_UNTRUSTED", {
    what: `${root} cannot be trusted as it is.`,
    why: `Too large to be looked through: ${unhashed.slice(0, 5).join(", ")}.`,
    next: [{ cmd: "selvage trust --show", why: "everything that a yes would cover" }],
  });
}

async function agreed(session: Session, shown: string): Promise<boolean> {
  if (session.flags.yes) return true;
  if (!session.mayAsk) return false;
  session.terminal.say(shown);
  return session.terminal.confirm("Trust it?", "no");
}

function answer(project: OpenProject, survey: TrustSurvey, trusted: boolean, text: string): Answer {
  const { root, world, tools } = project;
  const data = {
    project: root,
    trusted,
    store_id: world.store.storeId,
    trusted_at: survey.trustedAt,
    changed: project.changedFiles,
    files: survey.files.map((file) => ({ ...file, change: file.change ?? null })),
    variables: survey.variables.map(({ isSet, ...variable }) => ({ ...variable, is_set: isSet })),
    directives: project.directives(),
    tools,
  };
  return { kind: "trust", exit: 0, data, text };
}
