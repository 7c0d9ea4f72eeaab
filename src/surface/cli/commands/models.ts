/** `selvage models ls`: which models there are, what they cost, and who says so. Nothing is asked of any provider. */
import type { Command } from "commander";
import type { ModelShown } from "../../../core/model-list.ts";
import type { Rates } from "../../../core/price.ts";
import { EXIT } from "../../../core/problem.ts";
import type { Answer } from "../answer.ts";
import { honoured, tellWrong } from "../honoured.ts";
import { modelTable, perMillion, plainModel } from "../model-text.ts";
import { counted } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { verbFamily } from "../verb-family.ts";

interface ListOptions {
  readonly all?: boolean;
}

export function modelsCommand(play: Play): Command {
  const family = verbFamily(play, {
    name: "models",
    description: "which models there are, and what they cost",
    usage: "ls",
    about: "models",
  });
  family
    .command("ls")
    .description("models with their prices in dollars per million tokens, and where those come from")
    .option("-a, --all", "also those of providers without a key")
    .action((options: ListOptions) => play((session) => list(session, options)));
  return family;
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
