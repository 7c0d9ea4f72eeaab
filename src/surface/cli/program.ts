/** All commands and flags. Nothing is done here but to find out what was asked. */
import { Command, Option } from "commander";
import type { Answer } from "./answer.ts";
import { ACT_COMMANDS } from "./commands/act.ts";
import { completeCommand } from "./commands/completion.ts";
import { demoCommand } from "./commands/demo.ts";
import { explainCommand } from "./commands/explain.ts";
import { explainDenialCommand } from "./commands/explain-denial.ts";
import { helpCommand } from "./commands/help.ts";
import { initCommand } from "./commands/init.ts";
import { LOOK_COMMANDS } from "./commands/look.ts";
import { OPERATE_COMMANDS } from "./commands/operate.ts";
import { PROJECT_COMMANDS } from "./commands/project.ts";
import { runCommand } from "./commands/run.ts";
import { status, statusCommand } from "./commands/status.ts";
import { trustCommand } from "./commands/trust.ts";
import type { Flags, Session } from "./session.ts";

/** Hands over what a command does, once the flags are known. */
export type Play = (act: (session: Session) => Promise<Answer>) => Promise<void>;

export interface Stage {
  readonly play: (act: (session: Session) => Promise<Answer>, flags: Flags) => Promise<void>;
  /** Where help goes. */
  readonly write: (text: string) => void;
}

export function buildProgram(stage: Stage): Command {
  const program = new Command("selvage");
  program
    .description("Runs LLM agents so that no crash loses finished work or repeats it.")
    .usage("[options] <command>")
    .exitOverride()
    // Errors are printed by `main`, in our own form.
    .configureOutput({ writeOut: stage.write, writeErr: () => {} })
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showSuggestionAfterError(true);
  for (const option of globalOptions()) program.addOption(option);
  const flagsOf = (command: Command) => command.optsWithGlobals<Flags>();
  for (const make of COMMANDS) {
    const command: Command = make((act) => stage.play(act, flagsOf(command)));
    command.copyInheritedSettings(program);
    for (const member of command.commands) member.copyInheritedSettings(program);
    // Once more and hidden, because a group such as `ps -aq` is read by the command itself.
    for (const option of globalOptions()) if (option.short) command.addOption(option.hideHelp());
    program.addCommand(command);
  }
  program.addCommand(
    helpCommand((act) => stage.play(act, flagsOf(program)), program).copyInheritedSettings(program),
  );
  program.addCommand(
    completeCommand((act) => stage.play(act, flagsOf(program)), program).copyInheritedSettings(program),
    { hidden: true },
  );
  program.argument("[command]").allowExcessArguments();
  program.action((unknown: string | undefined) => {
    if (unknown === undefined) return stage.play(status, flagsOf(program));
    return program.error(`error: unknown command '${unknown}'`, { code: "commander.unknownCommand" });
  });
  return program;
}

const COMMANDS: readonly ((play: Play) => Command)[] = [
  initCommand,
  demoCommand,
  runCommand,
  statusCommand,
  ...LOOK_COMMANDS,
  ...ACT_COMMANDS,
  trustCommand,
  ...PROJECT_COMMANDS,
  ...OPERATE_COMMANDS,
  explainCommand,
  explainDenialCommand,
];

function globalOptions(): Option[] {
  return [
    new Option("-C, --project <folder>", "work in this folder instead of here"),
    new Option("--json", "one JSON document on stdout"),
    new Option("--jsonl", "JSON lines; the last one is the result"),
    new Option("--plain", "tab-separated, no header"),
    new Option("-q, --quiet", "only what was asked for; with ps: only ids"),
    new Option("-v, --verbose", "more about failures"),
    new Option("--no-color", "no colours"),
    new Option("--ascii", "plain ASCII signs"),
    new Option("--accessible", "nothing is redrawn: one plain line for each change"),
    new Option("--no-input", "never ask"),
    new Option("-y, --yes", "answer confirmations with yes"),
    new Option("--version", "print the version"),
  ];
}
