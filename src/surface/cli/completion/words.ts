/** What may come next on a command line, as far as the table of commands says; values are named by their kind. */
import type { Command, Option } from "commander";
import { optionValues, type ValueKind, valuesOf } from "./kinds.ts";

export interface Word {
  readonly value: string;
  readonly about: string;
}

export interface Completion {
  readonly words: readonly Word[];
  /** Values that have to be looked up, of the word that is being typed. */
  readonly kind: ValueKind | undefined;
  /** Words that were typed before, from the command on. */
  readonly given: readonly string[];
}

/** `typed` is everything after the name of the program; its last word is being typed and may be empty. */
export function completionOf(program: Command, typed: readonly string[]): Completion {
  const before = typed.slice(0, -1);
  const current = typed.at(-1) ?? "";
  const place = walk(program, before);
  if (place.wanting) return { words: [], kind: optionValues(place.path, place.wanting), given: place.given };
  if (current.startsWith("-") && !place.isOver) {
    return {
      words: matching(optionWords(program, place.command), current),
      kind: undefined,
      given: place.given,
    };
  }
  const verbs = place.given.length === 0 ? verbWords(place.command) : [];
  const kind = verbs.length > 0 ? undefined : valuesOf(place.path, place.given.length);
  return { words: matching(verbs, current), kind, given: place.given };
}

interface Place {
  readonly command: Command;
  /** Its name with those above it, `proc logs`. */
  readonly path: string;
  readonly given: readonly string[];
  /** The option whose value comes next. */
  readonly wanting: string | undefined;
  /** After `--` nothing is an option. */
  readonly isOver: boolean;
}

function walk(program: Command, before: readonly string[]): Place {
  let command = program;
  let path = "";
  const given: string[] = [];
  let wanting: string | undefined;
  let isOver = false;
  for (const word of before) {
    if (wanting !== undefined) wanting = undefined;
    else if (!isOver && word === "--") isOver = true;
    else if (!isOver && word.startsWith("-")) wanting = wantingValue(program, command, word);
    else {
      const below = given.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (below) {
        command = below;
        path = path === "" ? word : `${path} ${word}`;
      } else given.push(word);
    }
  }
  return { command, path, given, wanting, isOver };
}

/** The long name of an option that wants a value, when its word has none yet. */
function wantingValue(program: Command, command: Command, word: string): string | undefined {
  if (word.includes("=")) return undefined;
  const found = [...command.options, ...program.options].find(
    ({ short, long }) => word === short || word === long,
  );
  return found && (found.required || found.optional) ? (found.long ?? found.short) : undefined;
}

function optionWords(program: Command, command: Command): Word[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  const all: readonly Option[] = command === program ? own : [...own, ...program.options];
  const words = all.map(({ long, short, description }) => ({
    value: long ?? short ?? "",
    about: description,
  }));
  return [...words, { value: "--help", about: "its arguments and flags" }];
}

function verbWords(command: Command): Word[] {
  return command.commands
    .filter((each) => !each.name().startsWith("_"))
    .map((each) => ({ value: each.name(), about: each.description() }));
}

export function matching(words: readonly Word[], current: string): Word[] {
  return words.filter(({ value }) => value.startsWith(current));
}
