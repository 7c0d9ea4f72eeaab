/** What the parser did not understand, as a problem. */
import type { CommanderError } from "commander";
import { closest } from "../../core/closest.ts";
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";

export function usageProblem(
  error: CommanderError,
  argv: readonly string[],
  commands: readonly string[],
): Problem {
  const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  const hint = rest.join(" ").trim();
  const unknown = error.code === "commander.unknownCommand" ? /'(.*)'/s.exec(first)?.[1] : undefined;
  if (unknown !== undefined) return unknownCommand(unknown, commands);
  const command = argv.find((word) => commands.includes(word));
  const help = command ? `selvage ${command} --help` : "selvage --help";
  return new Problem("E_USAGE", {
    what: sentence(oneLine(first, 200)),
    why: hint.replace(/^\((.*)\)$/, "$1") || "Nothing was done.",
    next: [{ cmd: help, why: "its arguments and flags" }],
    cause: error,
  });
}

function unknownCommand(unknown: string, commands: readonly string[]): Problem {
  const near = closest(unknown.slice(0, 40), commands);
  return new Problem("E_USAGE", {
    what: `There is no command "${oneLine(unknown, 40)}".`,
    why: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Nothing was done.",
    next: [
      ...near.slice(0, 1).map((name) => ({ cmd: `selvage ${name}`, why: "the closest" })),
      { cmd: "selvage --help", why: "lists the commands" },
    ],
  });
}

function sentence(text: string): string {
  const whole = text.endsWith(".") ? text : `${text}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
