/** All commands and flags. Nothing is done here but to find out what was asked. */
import { Command, Option } from "commander";
import type { Answer } from "./answer.ts";
import { commandAsked, GLOBAL_OPTIONS } from "./asked.ts";
import { ACT_COMMANDS } from "./commands/act.ts";
import { LOOK_COMMANDS } from "./commands/look.ts";
import { OPERATE_COMMANDS } from "./commands/operate.ts";
import { PROJECT_COMMANDS } from "./commands/project.ts";
import { ABOUT, listedCommands, USAGE } from "./root-help.ts";
import type { Flags, Session } from "./session.ts";

/** Hands over what a command does, once the flags are known. */
export type Play = (act: (session: Session) => Promise<Answer>) => Promise<void>;

/** Some commands are about the others. */
export type MakeCommand = (play: Play, program: Command) => Command;

/** Where each command is: a start loads the one that was asked for. */
export type CommandTable = Readonly<Record<string, () => Promise<MakeCommand>>>;

export interface Stage {
  readonly play: (act: (session: Session) => Promise<Answer>, flags: Flags) => Promise<void>;
  /** Where help goes. */
  readonly write: (text: string) => void;
}

/** In the order of `--help`. */
const COMMANDS: CommandTable = {
  init: async () => (await import("./commands/init.ts")).initCommand,
  demo: async () => (await import("./commands/demo.ts")).demoCommand,
  run: async () => (await import("./commands/run.ts")).runCommand,
  status: async () => (await import("./commands/status.ts")).statusCommand,
  ...LOOK_COMMANDS,
  ...ACT_COMMANDS,
  trust: async () => (await import("./commands/trust.ts")).trustCommand,
  ...PROJECT_COMMANDS,
  ...OPERATE_COMMANDS,
  explain: async () => (await import("./commands/explain.ts")).explainCommand,
  "explain-denial": async () => (await import("./commands/explain-denial.ts")).explainDenialCommand,
  help: async () => (await import("./commands/help.ts")).helpCommand,
  __complete: async () => (await import("./commands/completion.ts")).completeCommand,
};

/** About all the others, so that these have to be there; and without flags of their own. */
const ABOUT_OTHERS = ["help", "__complete"];

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

export function allCommands(): Promise<MakeCommand[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

/** Those without which this command line cannot be understood. */
export async function commandsFor(argv: readonly string[]): Promise<MakeCommand[]> {
  const asked = commandAsked(argv);
  if (asked === undefined) return allCommands();
  if (asked !== null && ABOUT_OTHERS.includes(asked))
    return aboutOthers(asked, argv.slice(argv.indexOf(asked) + 1));
  const load = asked === null ? undefined : loaderOf(asked);
  return load ? [await load()] : [];
}

/** Of the others, what a list shows will do, but for the one that is asked about. */
async function aboutOthers(asked: string, words: readonly string[]): Promise<MakeCommand[]> {
  const about = commandAsked(words[0] === "--" ? words.slice(1) : words);
  if (about === undefined || (about === null && asked === "help")) return allCommands();
  const listed = listedCommands().map(({ name, about: text }): Promise<MakeCommand> | MakeCommand => {
    const load = name === about || name === asked ? loaderOf(name) : undefined;
    return load?.() ?? (() => new Command(name).description(text));
  });
  const hidden = asked.startsWith("_") ? loaderOf(asked)?.() : undefined;
  return Promise.all([...listed, ...(hidden ? [hidden] : [])]);
}

function loaderOf(name: string): (() => Promise<MakeCommand>) | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

export function buildProgram(stage: Stage, commands: readonly MakeCommand[]): Command {
  const program = new Command("selvage");
  program
    .description(ABOUT)
    .usage(USAGE)
    .exitOverride()
    // Errors are printed by `main`, in our own form.
    .configureOutput({ writeOut: stage.write, writeErr: () => {} })
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showSuggestionAfterError(true);
  for (const option of globalOptions()) program.addOption(option);
  const flagsOf = (command: Command) => command.optsWithGlobals<Flags>();
  for (const make of commands) {
    const command: Command = make((act) => stage.play(act, flagsOf(command)), program);
    command.copyInheritedSettings(program);
    for (const member of command.commands) member.copyInheritedSettings(program);
    if (!ABOUT_OTHERS.includes(command.name())) {
      // Once more and hidden, because a group such as `ps -aq` is read by the command itself.
      for (const option of globalOptions()) if (option.short) command.addOption(option.hideHelp());
    }
    program.addCommand(command, { hidden: command.name().startsWith("_") });
  }
  program.argument("[command]").allowExcessArguments();
  program.action(async (unknown: string | undefined) => {
    if (unknown !== undefined)
      return program.error(`error: unknown command '${unknown}'`, { code: "commander.unknownCommand" });
    const { status } = await import("./commands/status.ts");
    return stage.play(status, flagsOf(program));
  });
  return program;
}

function globalOptions(): Option[] {
  return GLOBAL_OPTIONS.map(([flags, about]) => new Option(flags, about));
}
