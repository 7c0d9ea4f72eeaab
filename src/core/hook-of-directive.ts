/** The hooks in a directive's head, made ready to run. `loadConditions` must have been awaited. */
import { compileCondition } from "./condition.ts";
import type { Complaint, Directive, DirectiveHook } from "./directive.ts";
import type { Hook } from "./hook.ts";
import { CHILD_HOOK_TIMEOUT_SECONDS } from "./hook-child.ts";
import { inputFault } from "./hook-inputs.ts";

/** Unless a hook says otherwise. */
export const HOOK_TIMEOUT_SECONDS = 30;

type Path = readonly (string | number)[];
/** Where the part at a path of the head stands. */
type PlaceOf = (path: Path) => { readonly line: number; readonly column: number };

export type DirectiveHooks =
  | { readonly hooks: readonly Hook[] }
  | { readonly complaints: readonly Complaint[] };

export function hooksOfDirective({ hooks }: Directive, file: string, placeOf?: PlaceOf): DirectiveHooks {
  const complaints = hooks.flatMap((hook, index) => faultsOf(hook, index, file, placeOf));
  if (complaints.length > 0) return { complaints };
  return {
    hooks: hooks.map((hook, index) =>
      runnable(hook, placeOf ? `${file}:${placeOf(["hooks", index]).line}` : file),
    ),
  };
}

function runnable(hook: DirectiveHook, where: string): Hook {
  const { id, event, inputs } = hook;
  const when = hook.when === undefined ? undefined : compileCondition(hook.when, event);
  const made = {
    ...{ id, event, layer: "directive" as const, where, inputs },
    ...(when && "test" in when ? { when } : {}),
  };
  return "command" in hook
    ? { ...made, run: { command: hook.command }, timeoutSeconds: HOOK_TIMEOUT_SECONDS }
    : { ...made, run: { directive: hook.directive }, timeoutSeconds: CHILD_HOOK_TIMEOUT_SECONDS };
}

function faultsOf(hook: DirectiveHook, index: number, file: string, placeOf?: PlaceOf): Complaint[] {
  const at = (path: Path) => ({ file, ...(placeOf?.(["hooks", index, ...path]) ?? { line: 1, column: 1 }) });
  const complaints: Complaint[] = [];
  const when = hook.when === undefined ? undefined : compileCondition(hook.when, hook.event);
  if (when && "fault" in when) {
    const { message, fix, path } = when.fault;
    complaints.push({
      ...at(["when", ...path]),
      message: `hook ${hook.id}: ${message}`,
      ...(fix && { fix }),
    });
  }
  const input = inputFault(hook.inputs, hook.event);
  if (input)
    complaints.push({
      ...at(["inputs", input.name]),
      message: `hook ${hook.id}: ${input.message}`,
      ...(input.fix && { fix: input.fix }),
    });
  return complaints;
}
