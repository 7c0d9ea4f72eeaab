/** `selvage completion`: a script for a shell; and the hidden command that it asks for words. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { writing } from "../../../core/disk-error.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { fixedValues, storedValues } from "../completion/lookup.ts";
import { homeOf, MARK, SCRIPTS, SHELLS, type Shell } from "../completion/scripts.ts";
import { type Completion, completionOf, matching, type Word } from "../completion/words.ts";
import { writeNew } from "../new-file.ts";
import type { Play } from "../program.ts";
import { KINDS } from "../schema/kinds.ts";
import type { Session } from "../session.ts";

export function completionCommand(play: Play): Command {
  return new Command("completion")
    .description("a script that completes commands, flags, ids and names in a shell")
    .argument("<shell>", SHELLS.join(", "))
    .option("--install", "put it where the shell looks for it")
    .action((shell: string, options: { install?: boolean }) =>
      play(async () => (options.install ? install(shell) : script(shell))),
    );
}

/** Asked by the scripts. It never fails, never waits and never writes: a shell that hangs at a tab is worse than no word. */
export function completeCommand(play: Play, program: Command): Command {
  return new Command("__complete")
    .argument("[words...]")
    .action((words: string[]) => play((session) => complete(session, program, words)));
}

function script(name: string): Answer {
  const shell = requireShell(name);
  const text = SCRIPTS[shell];
  return {
    kind: "completion",
    exit: EXIT.ok,
    data: { shell, script: text, path: null },
    text: text.trimEnd(),
  };
}

function install(name: string): Answer {
  const shell = requireShell(name);
  const { path, hint } = homeOf(shell, process.env);
  const text = SCRIPTS[shell];
  const next = { cmd: `selvage completion ${shell}`, why: "prints it, to be put elsewhere" };
  const makeRoom = () => {
    mkdirSync(dirname(path), { recursive: true });
    if (isOurs(path)) rmSync(path);
  };
  writing(path, makeRoom, [next]);
  writeNew(path, Buffer.from(text), next);
  const data = { shell, script: text, path };
  return { kind: "completion", exit: EXIT.ok, data, text: `✓ Wrote ${path}`, hint };
}

function isOurs(path: string): boolean {
  try {
    return readFileSync(path, "utf8").includes(MARK);
  } catch {
    return false; // there is none, or none that we may read
  }
}

function requireShell(name: string): Shell {
  const found = SHELLS.find((shell) => shell === name);
  if (found) return found;
  const [near] = closest(name.slice(0, 40), SHELLS);
  throw new Problem("E_USAGE", {
    what: `There is no completion for "${oneLine(name, 40)}".`,
    why: near ? `Did you mean ${near}?` : `There is one for ${SHELLS.join(", ")}.`,
    next: [{ cmd: `selvage completion ${near ?? "bash"}`, why: "a shell there is one for" }],
  });
}

async function complete(session: Session, program: Command, typed: readonly string[]): Promise<Answer> {
  const found = completionOf(program, typed);
  const current = typed.at(-1) ?? "";
  const words = [...found.words, ...matching(await valuesFor(session, program, found, current), current)];
  const marks = [
    ...(found.kind === "file" ? [":files"] : []),
    ...(found.kind === "input" && words.length > 0 ? [":nospace"] : []),
  ];
  const lines = words.map(({ value, about }) => `${oneLine(value, 200)}\t${oneLine(about, 80)}`);
  return { kind: "words", exit: EXIT.ok, data: { words, marks }, text: [...lines, ...marks].join("\n") };
}

async function valuesFor(
  session: Session,
  program: Command,
  { kind, given }: Completion,
  current: string,
): Promise<Word[]> {
  if (kind === undefined || kind === "file") return [];
  const topics = program.commands.map((command) => command.name()).filter((name) => !name.startsWith("_"));
  const fixed = fixedValues(kind, KINDS, topics);
  if (fixed) return fixed;
  try {
    const glance = session.house.glance(session.house.findProject(session.folder));
    try {
      return await storedValues(glance, kind, { current, given, now: Date.now() });
    } finally {
      await glance.close();
    }
  } catch {
    return []; // no project, or a store that cannot be read: there is nothing to offer
  }
}
