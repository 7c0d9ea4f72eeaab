/** Models by name. Only scripted ones so far, and never one in the place of another. */

import type { Model } from "../core/model.ts";
import { Problem } from "../core/problem.ts";
import type { ScriptStep } from "../core/script.ts";
import { oneLine } from "../core/text.ts";
import type { Clock } from "../core/world.ts";
import { readScript } from "./script-file.ts";
import { scriptedModel } from "./scripted.ts";

const SCRIPTED = "scripted/";

/**
 * The `model` port of the world. It never throws: no such model is undefined, and one whose script does not
 * validate answers every request with that failure.
 */
export function modelFor(projectRoot: string, clock: Clock): (name: string) => Model | undefined {
  const known = new Map<string, Model>();
  return (name) => {
    const model = known.get(name) ?? load(projectRoot, name, clock);
    if ("problem" in model)
      return model.problem.code === "E_MODEL_UNKNOWN" ? undefined : broken(model.problem);
    known.set(name, model);
    return model;
  };
}

/** Throws when the model cannot be used, before a thread is made that would only fail. */
export function requireModel(projectRoot: string, name: string): void {
  stepsOf(projectRoot, name);
}

function stepsOf(projectRoot: string, name: string): readonly ScriptStep[] {
  if (!name.startsWith(SCRIPTED)) {
    throw new Problem("E_MODEL_UNKNOWN", {
      what: `There is no model ${oneLine(name, 60)}.`,
      why: "This version knows scripted models only: scripted/NAME reads .ai/scripts/NAME.yaml.",
    });
  }
  return readScript(projectRoot, name.slice(SCRIPTED.length));
}

function load(projectRoot: string, name: string, clock: Clock): Model | { readonly problem: Problem } {
  try {
    return scriptedModel(stepsOf(projectRoot, name), { clock });
  } catch (cause) {
    // The loop asks for models in the middle of a turn, where a value is worth more than a throw.
    if (cause instanceof Problem) return { problem: cause };
    throw cause;
  }
}

/** Not cached: the person who mends the script should not have to start again. */
function broken({ message, why }: Problem): Model {
  const failure = { kind: "script", message: [message, why].filter(Boolean).join(" ") } as const;
  return { streams: false, ask: async () => ({ type: "failure", failure }) };
}
