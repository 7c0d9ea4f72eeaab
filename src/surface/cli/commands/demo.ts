/** `selvage demo`: an app built in waves, a real kill -9 in the middle, and the proof that nothing was redone or repaid. */
import { resolve } from "node:path";
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import type { World } from "../../../core/world.ts";
import { type Answer, envelope } from "../answer.ts";
import { Keys } from "../demo/keys.ts";
import { row } from "../demo/line.ts";
import type { Pace } from "../demo/project.ts";
import { Recording } from "../demo/recording.ts";
import { type DemoReport, isProven, nextLines, proofText, reportOf, summaryLines } from "../demo/report.ts";
import { Interrupted, Stage } from "../demo/stage.ts";
import { Story } from "../demo/story.ts";
import { Theatre } from "../demo/theatre.ts";
import type { OpenProject } from "../house.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";

interface DemoOptions {
  readonly fast?: boolean;
  readonly step?: boolean;
  readonly auto?: boolean;
  readonly dir?: string;
  readonly keep?: boolean;
  /** False with --no-crash. */
  readonly crash: boolean;
  readonly record?: string;
}

const FULL: Pace & { readonly pauseMs: number } = { answerMs: 350, retryMs: 2_000, pauseMs: 1_000 };
const FAST: Pace & { readonly pauseMs: number } = { answerMs: 0, retryMs: 200, pauseMs: 0 };

export function demoCommand(play: Play): Command {
  return new Command("demo")
    .description("watch a tree of agents survive a real kill -9 within its budget; no key, no network")
    .option("--fast", "without pauses, in a few seconds")
    .option("--step", "press a key for each act")
    .option("--auto", "never ask; questions are answered with yes")
    .option("--dir <folder>", "play in this folder, and keep it")
    .option("--keep", "keep the temporary folder to look at")
    .option("--no-crash", "without the kill and the recovery")
    .option("--record <file>", "write a timed recording (asciicast v2)")
    .action((options: DemoOptions) => play((session) => demo(session, options)));
}

async function demo(session: Session, options: DemoOptions): Promise<Answer> {
  const { dir, keep = false, fast, record } = options;
  const pace = fast ? FAST : FULL;
  const interruption = session.interruption();
  const recording = record === undefined ? undefined : new Recording(resolve(record), Date.now());
  const theatre = new Theatre({ dir: dir === undefined ? undefined : resolve(dir), keep, pace });
  let world: World | undefined;
  interruption.onForced((exit) => {
    theatre.emptyNow();
    if (session.terminal.isMachine) session.terminal.final(envelope(interrupted(exit, theatre)));
  });
  try {
    ({ world } = await openTrusted(session, theatre.place.project));
    const { clock } = world;
    const keys = mayPress(session, options) ? new Keys(clock) : undefined;
    const { terminal } = session;
    const { signal } = interruption;
    const stage = new Stage({ terminal, clock, signal, keys, isStepping: options.step === true, recording });
    if (options.step && !keys)
      session.warn("--step needs a terminal with somebody at it: nobody is waited for.");
    const story = { place: theatre.place, world, stage, pauseMs: pace.pauseMs, withCrash: options.crash };
    return await perform(stage, new Story(story), theatre);
  } catch (error) {
    if (error instanceof Interrupted) return interrupted(interruption.exit ?? 130, theatre);
    throw error;
  } finally {
    try {
      await theatre.empty(world);
      await session.close();
    } finally {
      theatre.close();
    }
  }
}

/** What we wrote ourselves a moment ago; only then is it opened as something that may be worked with. */
async function openTrusted(session: Session, root: string): Promise<OpenProject> {
  const ours = session.house.open(root, () => {}, "work");
  ours.trust();
  await ours.close();
  return session.open(root, "work");
}

/** Not in a machine format, nor when it is to be quick: then nobody is asked, unless they want to press keys. */
function mayPress(session: Session, { auto, fast, step }: DemoOptions): boolean {
  return session.mayAsk && !session.terminal.isMachine && !auto && (!fast || step === true);
}

async function perform(stage: Stage, story: Story, theatre: Theatre): Promise<Answer> {
  stage.heading("A build in three waves. Scripted model, simulated prices, real processes, real files.");
  stage.rest();
  const told = await story.play();
  const proven = reportOf(stage.acts, told);
  stage.act("proof", isProven(proven));
  stage.tell(row(isProven(proven) ? "✓" : "✗", "proof", "", proofText(proven)));
  return answerOf({ ...proven, acts: stage.acts }, stage, theatre);
}

function answerOf(report: DemoReport, stage: Stage, { isKept, place }: Theatre): Answer {
  const kept = isKept ? place.project : undefined;
  stage.rest();
  for (const line of summaryLines(report)) stage.heading(line);
  const data = { ...report, ...(kept === undefined ? {} : { kept }) };
  const exit = isProven(report) ? EXIT.ok : EXIT.failed;
  return { kind: "demo", exit, data, text: nextLines(report, kept).join("\n") };
}

function interrupted(exit: number, { isKept, place }: Theatre): Answer {
  const kept = isKept ? { kept: place.project } : {};
  return {
    kind: "demo",
    exit,
    data: { interrupted: true, ...kept },
    hint: isKept ? `Stopped; kept in ${place.project}.` : "Stopped; nothing of it is left.",
  };
}
