/** `selvage schema`: what our answers to programs look like, from the running version. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { Answer } from "../answer.ts";
import type { Play } from "../program.ts";
import { jsonSchemaOf, KINDS, kindAbout } from "../schema/kinds.ts";
import { typescriptOf } from "../schema/typescript.ts";
import type { Session } from "../session.ts";
import { table } from "../table.ts";

export function schemaCommand(play: Play): Command {
  return new Command("schema")
    .description("JSON Schema of what --json and --jsonl print; without a kind, the kinds there are")
    .argument("[kind]", "such as thread.result")
    .option("--ts", "TypeScript types instead; without a kind, all of them")
    .action((kind: string | undefined, options: { ts?: boolean }) =>
      play(async (session) => schema(session, kind, options.ts === true)),
    );
}

function schema(session: Session, kind: string | undefined, isTypes: boolean): Answer {
  if (kind !== undefined && !KINDS.includes(kind)) throw unknown(kind);
  if (isTypes) return types(kind === undefined ? KINDS : [kind]);
  if (kind === undefined) return list(session);
  const found = jsonSchemaOf(kind);
  return {
    kind: "schema",
    exit: EXIT.ok,
    data: { kind, schema: found },
    text: JSON.stringify(found, null, 2),
  };
}

function types(kinds: readonly string[]): Answer {
  const text = typescriptOf(new Map(kinds.map((kind) => [kind, jsonSchemaOf(kind)])));
  return { kind: "schema", exit: EXIT.ok, data: { types: text }, text: text.trimEnd() };
}

function list({ flags, terminal }: Session): Answer {
  const kinds = KINDS.map((kind) => ({ kind, about: kindAbout(kind) }));
  const rows = kinds.map(({ kind, about }) => [kind, about]);
  const lines = flags.quiet
    ? KINDS
    : flags.plain
      ? rows.map((row) => row.join("\t"))
      : table(rows, terminal.columns);
  return { kind: "schema", exit: EXIT.ok, data: { kinds }, text: lines.join("\n") };
}

function unknown(kind: string): Problem {
  const near = closest(kind.slice(0, 60), KINDS);
  return new Problem("E_KIND_UNKNOWN", {
    what: `There is no kind of answer "${oneLine(kind, 60)}".`,
    why: near.length > 0 ? `Close to it: ${near.join(", ")}.` : "No kind is close to it.",
    next: [
      near[0]
        ? { cmd: `selvage schema ${near[0]}`, why: "the closest" }
        : { cmd: "selvage schema", why: "lists them" },
    ],
  });
}
