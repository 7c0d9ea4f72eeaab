/** `selvage models ls`: which models there are, what they cost, and who says so. Nothing is asked of any provider. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import type { ModelShown } from "../../../core/model-list.ts";
import type { Rates } from "../../../core/price.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import { honoured, tellWrong } from "../honoured.ts";
import { modelTable, perMillion, plainModel } from "../model-text.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";

interface ListOptions {
  readonly all?: boolean;
}

export function modelsCommand(play: Play): Command {
  const family = new Command("models")
    .description("which models there are, and what they cost")
    .usage("[options] ls")
    .helpCommand(false)
    .argument("[verb]")
    .allowExcessArguments()
    .action((verb: string | undefined) => play(async () => unknownVerb(verb, family)));
  family
    .command("ls")
    .description("models with their prices in dollars per million tokens, and where those come from")
    .option("-a, --all", "also those of providers without a key")
    .action((options: ListOptions) => play((session) => list(session, options)));
  return family;
}

function unknownVerb(verb: string | undefined, family: Command): never {
  const verbs = family.commands.map((command) => command.name());
  const near = verb === undefined ? [] : closest(verb.slice(0, 40), verbs);
  throw new Problem("E_USAGE", {
    what: verb === undefined ? "What about models?" : `"${oneLine(verb, 40)}" is nothing to do with models.`,
    why: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are: ${verbs.join(", ")}.`,
    next: [{ cmd: "selvage models ls", why: near[0] ? "the closest" : "lists them" }],
  });
}

async function list(session: Session, { all = false }: ListOptions): Promise<Answer> {
  const { models, wrong } = session.house.config.models(honoured(session), { all });
  tellWrong(session, wrong);
  const answer = { kind: "models.list", exit: EXIT.ok, data: { models: models.map(asListed) } };
  const { flags, terminal } = session;
  if (flags.quiet) return { ...answer, text: models.map(({ name }) => name).join("\n") };
  if (flags.plain) return { ...answer, text: models.map(plainModel).join("\n") };
  const isMissing = !all && !models.some(({ name, ready }) => ready && !name.startsWith("scripted/"));
  const hint = [
    counted(models.length, "model"),
    ...(isMissing ? ["no provider has a key: selvage models ls -a lists what there is"] : []),
  ].join(" · ");
  return { ...answer, text: modelTable(models, terminal), hint };
}

/** Prices in dollars per million tokens, as decimal strings; null where nobody knows them. */
function asListed({ name, price, window, maxOutput, tiers, origin, ready }: ModelShown) {
  const long = price?.long;
  return {
    ...{ name, ready, tiers, origin, window, max_output: maxOutput },
    price: price && {
      ...dollars(price),
      long: long ? { above: long.above, ...dollars(long) } : null,
    },
  };
}

function dollars({ input, output, cache_read, cache_write }: Rates) {
  return {
    input: perMillion(input),
    output: perMillion(output),
    cache_read: perMillion(cache_read),
    cache_write: perMillion(cache_write),
  };
}
