/** A command that is a noun with verbs below it (`proc ls`): one shape, and one answer to a verb that there is not. */
import { Command } from "commander";
import { closest } from "../../core/closest.ts";
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import type { Play } from "./program.ts";

export interface Family {
  readonly name: string;
  readonly description: string;
  /** The verbs with their arguments, as help shows them. */
  readonly usage: string;
  /** What it is about, in the plural. */
  readonly about: string;
}

export function verbFamily(play: Play, { name, description, usage, about }: Family): Command {
  const family = new Command(name)
    .description(description)
    .usage(`[options] ${usage}`)
    .helpCommand(false)
    .argument("[verb]")
    .allowExcessArguments()
    .action((verb: string | undefined) => play(async () => unknownVerb(verb, family, about)));
  return family;
}

function unknownVerb(verb: string | undefined, family: Command, about: string): never {
  const verbs = family.commands.map((command) => command.name());
  const near = verb === undefined ? [] : closest(verb.slice(0, 40), verbs);
  throw new Problem("E_USAGE", {
    what:
      verb === undefined ? `What about ${about}?` : `"${oneLine(verb, 40)}" is nothing to do with ${about}.`,
    why: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are: ${verbs.join(", ")}.`,
    next: [{ cmd: `selvage ${family.name()} --help`, why: `what can be done with ${about}` }],
  });
}
