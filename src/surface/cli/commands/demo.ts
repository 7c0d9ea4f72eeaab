/** `selvage demo`: a real kill -9 in the middle of a tool, the recovery after it, and the proof that nothing was redone. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import { stripControls } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { runChild } from "../demo/child.ts";
import { writeDemoProject } from "../demo/project.ts";
import { type DemoReport, playStory } from "../demo/story.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";

interface DemoOptions {
  readonly fast?: boolean;
  readonly keep?: boolean;
}

const PAUSE_MS = 700;

export function demoCommand(play: Play): Command {
  return new Command("demo")
    .description("watch a thread survive a real kill -9; no key, no network")
    .option("--fast", "without pauses")
    .option("--keep", "keep the project to look at")
    .action((options: DemoOptions) => play((session) => demo(session, options)));
}

async function demo(session: Session, { fast, keep }: DemoOptions): Promise<Answer> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "selvage-demo-")));
  const project = join(folder, "bakery");
  const place = { script: process.argv[1] ?? "", project, stateHome: join(folder, "state") };
  mkdirSync(place.stateHome, { recursive: true });
  writeDemoProject(project);
  const { signal } = session.interruption();
  session.terminal.print("A loaf of bread. Scripted model, real processes, real files, one real kill.\n");
  try {
    await runChild(place, ["trust", "--yes"]);
    const { world } = session.open(project, "work");
    const tell = teller(session);
    const report = await playStory({ place, world, tell, pauseMs: fast ? 0 : PAUSE_MS, signal });
    return answerOf(report, keep ? project : undefined);
  } finally {
    await session.close();
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines with a time on the left; what belongs to the line above stands under it. */
function teller(session: Session): (text: string, at?: number) => void {
  return (text, at) => {
    const time = at === undefined ? "     " : `${at.toFixed(1).padStart(4, "0")} `;
    session.terminal.print(` ${session.terminal.out.dim(time)} ${stripControls(text)}`);
  };
}

function answerOf(report: DemoReport, kept: string | undefined): Answer {
  const isProven = report.failures.length === 0 && report.redone === 0;
  const data = { ...report, ...(kept === undefined ? {} : { kept }) };
  const lines = isProven
    ? [
        "",
        "You saw: kill -9 in a running tool · recovery · nothing lost, nothing done twice",
        "  selvage init          your own project",
        "  selvage demo --keep   keeps this one to look at",
      ]
    : ["", "The proof failed:", ...report.failures.map((text) => `  ✗ ${text}`)];
  if (kept !== undefined) lines.push(`  kept in ${kept}`);
  return { kind: "demo", exit: isProven ? EXIT.ok : EXIT.failed, data, text: lines.join("\n") };
}
