/** Every command there is, and what may be said with it. */
import type * as z from "zod/mini";
import { closest } from "../../core/closest.ts";
import { zodInput } from "../../core/input.ts";
import { FAMILY_COMMANDS } from "./family-commands.ts";
import { OWN_COMMANDS } from "./own-commands.ts";

const COMMANDS = { ...FAMILY_COMMANDS, ...OWN_COMMANDS } as const;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** What a command brings along, once it was checked. */
export type Ask<K extends CommandName> = z.output<(typeof COMMANDS)[K]["fields"]>;

export type Checked =
  | { readonly name: CommandName; readonly ask: unknown; readonly isLong: boolean }
  | { readonly why: string };

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

export function checkCommand(name: string, fields: Readonly<Record<string, unknown>>): Checked {
  if (!isCommand(name)) {
    const near = closest(name.slice(0, 60), COMMAND_NAMES);
    const meant = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : " hello lists all there are.";
    return { why: `There is no command "${name.slice(0, 60)}".${meant}` };
  }
  const { fields: schema, isLong } = COMMANDS[name];
  const checked = zodInput(schema).check(fields);
  if (checked.complaint !== undefined) return { why: `${name}: ${checked.complaint}.${known(name, fields)}` };
  return { name, ask: checked.value, isLong };
}

/** A field that is not there is most often one that was misspelt. */
function known(name: CommandName, fields: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(COMMANDS[name].fields._zod.def.shape);
  const strange = Object.keys(fields).filter((field) => !names.includes(field));
  if (strange.length === 0) return "";
  return names.length === 0 ? " It has no fields." : ` It has ${names.join(", ")}.`;
}
