/** `{placeholders}` in the inputs of a hook: they name facts, and are filled with them. */
import type { Facts, Hook, HookEvent } from "./hook.ts";
import { factsOf, unknownFact } from "./hook-facts.ts";

/** What looks like the name of a fact; other braces stay as they are. */
const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\}/g;

export interface InputFault {
  /** Which input. */
  readonly name: string;
  readonly message: string;
  readonly fix?: string;
}

/** The first placeholder that nothing could fill. */
export function inputFault(inputs: Hook["inputs"], event: HookEvent): InputFault | undefined {
  for (const [name, value] of Object.entries(inputs)) {
    const unknown = placeholdersIn(value).find((path) => !isFact(path, event));
    if (unknown !== undefined) return { name, ...unknownFact(unknown, event) };
  }
  return undefined;
}

/** Facts that are not there leave nothing behind. */
export function hookInputs({ inputs }: Pick<Hook, "inputs">, facts: Facts): Hook["inputs"] {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      typeof value === "string"
        ? value.replace(PLACEHOLDER, (_, path: string) => shown(valueAt(facts, path)))
        : value,
    ]),
  );
}

function placeholdersIn(value: string | number | boolean): string[] {
  return typeof value === "string" ? [...value.matchAll(PLACEHOLDER)].map(([, path = ""]) => path) : [];
}

function isFact(path: string, event: HookEvent): boolean {
  return factsOf(event).some(
    ({ name, type }) => name === path || (type === "anything" && path.startsWith(`${name}.`)),
  );
}

function valueAt(facts: Facts, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Facts)[name];
  }, facts);
}

function shown(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
