import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { POLICIES } from "../core/failure.ts";
import { compilePattern, loadPatterns } from "../core/like.ts";
import { isProtected, type Match, protectedIn, type Rule, type RuleSet, ruleSet } from "../core/rule.ts";
import type { Path, Yaml } from "../yaml/parse.ts";
import { InvalidConfig } from "./invalid.ts";
import { type ConfigLayer, type ConfigPlaces, configLayers } from "./layers.ts";
import { readListFile } from "./list-file.ts";

const FILE = "error_classification.yaml";
const HOLDS = "error rules";
const MAX_PATTERN_CHARS = 1_000;
/** What ends a thread or counts money is for Selvage to say. */
const FILE_CATEGORIES = ["transient", "rate_limited", "quota", "permanent", "context_overflow"] as const;
const FILE_KINDS = ["http", "connection", "stream_cut", "stalled", "script"] as const;
const RETRIED: readonly string[] = ["transient", "rate_limited", "quota"];

const oneOrMore = <S extends z.ZodMiniType>(item: S, words: string) =>
  z.union([item, z.array(item).check(z.minLength(1))], `expected ${words}, or a list of them`);

const FileRule = z.object({
  id: z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]*$/, "expected lower-case letters, digits and . _ -")),
  match: z.object({
    kind: z.optional(oneOrMore(z.enum(FILE_KINDS), FILE_KINDS.join(", "))),
    status: z.optional(oneOrMore(z.int().check(z.minimum(100), z.maximum(599)), "a status such as 503")),
    type: z.optional(oneOrMore(z.string().check(z.minLength(1)), "a provider's name for it")),
    text: z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_PATTERN_CHARS))),
  }),
  category: z.enum(FILE_CATEGORIES),
  policy: z.optional(z.enum(POLICIES)),
});
type FileRule = z.infer<typeof FileRule>;

const RuleFile = z.object({ rules: z._default(z.array(FileRule), []) });

interface Layer {
  readonly yaml: Yaml;
  readonly rules: readonly FileRule[];
}

/** Without a root: no project, or one that is not trusted, whose rules are not honoured (F7). */
export async function readErrorRules(
  root: string | undefined,
  places: ConfigPlaces = {},
  /** Files of any name, over all others. */
  more: readonly { readonly layer: ConfigLayer; readonly name: string }[] = [],
): Promise<RuleSet> {
  const below = configLayers(root, places).map((layer) => ({ layer, name: FILE }));
  const layers = [...below, ...more].flatMap(({ layer, name }) => readLayer(layer, name) ?? []);
  const compile = layers.some(({ rules }) => rules.some(({ match }) => match.text !== undefined))
    ? await loadEngine()
    : never;
  return ruleSet(...layers.map((layer) => compiled(layer, compile)).reverse());
}

/** Undefined: there is no such file. */
function readLayer(layer: ConfigLayer, name: string): Layer | undefined {
  const read = readListFile(layer, { name, list: "rules", holds: HOLDS, schema: RuleFile });
  if (!read) return undefined;
  const { file, yaml, value } = read;
  refuse(
    file,
    value.rules.flatMap((rule, index) => objections(yaml, value.rules, rule, index)),
  );
  return { yaml, rules: value.rules };
}

/** What a schema cannot see. */
function objections(yaml: Yaml, rules: readonly FileRule[], rule: FileRule, index: number): Complaint[] {
  const { id, category, policy } = rule;
  const complain = (path: Path, message: string, fix: string): Complaint => ({
    file: yaml.file,
    ...yaml.placeOf(["rules", index, ...path], "value"),
    message: `${message}; ${fix}`,
    fix,
  });
  if (rules.findIndex((other) => other.id === id) < index)
    return [complain(["id"], `the id "${id}" stands twice in this file`, "give it another id")];
  if (isProtected(id))
    return [
      complain(["id"], `"${id}" is a rule of Selvage's own that no file replaces`, "give it another id"),
    ];
  if (Object.keys(rule.match).length === 0)
    return [complain(["match"], "this would match every failure", "write a kind, status, type or text")];
  const guard = protectedIn(matchOf(rule.match));
  if (guard && (category === "transient" || category === "rate_limited")) {
    const message = `what this matches is ${guard.category} by the rule "${guard.id}", and no file may have it tried again`;
    return [complain(["category"], message, "remove this rule")];
  }
  if (policy !== undefined && !RETRIED.includes(category))
    return [complain(["policy"], `${category} failures are not tried again and have no policy`, "remove it")];
  return [];
}

type Compile = (source: string) => NonNullable<Match["text"]>;

function compiled({ yaml, rules }: Layer, compile: Compile): Rule[] {
  const complaints: Complaint[] = [];
  const made = rules.map(({ id, match, category, policy }, index): Rule => {
    const { line } = yaml.placeOf(["rules", index], "value");
    const rule = {
      id,
      category,
      origin: `${yaml.file}:${line}`,
      ...(policy === undefined ? {} : { policy }),
    };
    if (match.text === undefined) return { ...rule, match: matchOf(match) };
    try {
      return { ...rule, match: { ...matchOf(match), text: compile(match.text) } };
    } catch (cause) {
      // The engine's only way to say that a pattern is none.
      const place = yaml.placeOf(["rules", index, "match", "text"], "value");
      complaints.push({ file: yaml.file, ...place, message: patternMessage(cause) });
      return { ...rule, match: {} };
    }
  });
  refuse(yaml.file, complaints);
  return made;
}

/** All but the text. */
function matchOf({ kind, status, type }: FileRule["match"]): Match {
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
  };
}

/** Only when a file has a pattern: most have none, and it takes its time. */
/** What a match may take, in instructions times characters: some milliseconds. A host waits for it. */
const MOST_STEPS = 60_000;
/** A pattern that leaves less than this of a message to look at is refused. */
const LEAST_CHARS = 200;

async function loadEngine(): Promise<Compile> {
  await loadPatterns();
  return (source) => {
    const made = compilePattern(`(?i)${source}`);
    if ("why" in made) throw new Error(made.why);
    const chars = Math.floor(MOST_STEPS / made.size);
    if (chars < LEAST_CHARS) throw new Error("it repeats too much");
    return { test: (text) => made.like(text.slice(0, chars)) };
  };
}

function never(): never {
  throw new Error("no engine was loaded");
}

function patternMessage(cause: unknown): string {
  const told = cause instanceof Error ? cause.message : String(cause);
  // The engine writes down that case does not count as if the author had.
  return `this is no pattern: ${told.replace("`(?i)", "`")}`;
}

function refuse(file: string, complaints: readonly Complaint[]): void {
  if (complaints.length > 0) throw invalid(file, complaints);
}

function invalid(file: string, complaints: readonly Complaint[]): InvalidConfig {
  return new InvalidConfig(HOLDS, { file, complaints });
}
