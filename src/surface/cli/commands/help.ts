/** `selvage help`: a command's help, or a topic. */
import { Command } from "commander";
import { Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import type { Play } from "../program.ts";

const EXIT_CODES: readonly { code: string; name: string; when: string }[] = [
  { code: "0", name: "ok", when: "it did what was asked; for run, resume and recover: the thread completed" },
  { code: "1", name: "failed", when: "the thread ended in error, or the tool itself failed" },
  { code: "2", name: "usage", when: "unknown command or flag, missing argument, value that does not parse" },
  { code: "3", name: "needs-you", when: "the thread is suspended and waits for an answer, or for a recover" },
  { code: "4", name: "cancelled", when: "the thread ended cancelled" },
  { code: "5", name: "not-found", when: "no such thread, question, directive or project" },
  {
    code: "6",
    name: "wrong-state",
    when: "not possible in this state, answered already, or another process owns it",
  },
  { code: "7", name: "invalid", when: "a directive, script or settings file does not validate" },
  {
    code: "8",
    name: "pending",
    when: "--timeout passed, or it waits for a time that is far off; it is still going",
  },
  { code: "9", name: "denied", when: "the project is not trusted, or a tool asked what only a person may" },
  { code: "10", name: "budget", when: "a limit does not fit what is spent, or what the parent has free" },
  { code: "130, 143", name: "signal", when: "ended by SIGINT or SIGTERM" },
];

export function helpCommand(play: Play, root: Command): Command {
  return new Command("help")
    .description("help for a command; `help exit-codes` lists the exit codes")
    .argument("[topic]", "a command, or exit-codes")
    .action((topic: string | undefined) => play(async () => help(root, topic)));
}

function help(root: Command, topic: string | undefined): Answer {
  if (topic === "exit-codes") return exitCodes();
  const command = topic === undefined ? root : root.commands.find((one) => one.name() === topic);
  if (!command) {
    throw new Problem("E_USAGE", {
      what: `There is no help for "${oneLine(topic ?? "", 40)}".`,
      why: "Help is about a command, or about exit-codes.",
      next: [{ cmd: "selvage help", why: "lists the commands" }],
    });
  }
  const text = command.helpInformation().trimEnd();
  return { kind: "help", exit: 0, data: { text }, text };
}

function exitCodes(): Answer {
  const lines = EXIT_CODES.map(({ code, name, when }) => `${code.padEnd(9)} ${name.padEnd(12)} ${when}`);
  const order = "With several threads the code is the worst, in the order 1, 10, 9, 4, 3, 8, 0.";
  return { kind: "help", exit: 0, data: { exit_codes: EXIT_CODES }, text: [...lines, "", order].join("\n") };
}
