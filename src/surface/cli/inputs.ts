/** What `run` is given, before anything is written: inputs from pairs or a file, and tools that exist. */
import { closest } from "../../core/closest.ts";
import type { Directive } from "../../core/directive.ts";
import { RUNTIME_TOOLS } from "../../core/orchestration.ts";
import { Problem } from "../../core/problem.ts";
import { toolNamed } from "../../core/right.ts";
import type { OpenProject } from "./house.ts";
import { type ObjectFile, readObject } from "./json-file.ts";

const INPUTS: ObjectFile = {
  holds: "inputs",
  example: { cmd: "selvage run DIRECTIVE --input FILE", why: 'a JSON object, such as {"name": "Ada"}' },
};

export function requireTools(directive: Directive, project: OpenProject): void {
  const { permissions, ask, delegates } = directive;
  const named = [...permissions, ...ask, ...delegates].flatMap((right) => toolNamed(right) ?? []);
  const known = [...project.tools, ...RUNTIME_TOOLS];
  const unknown = named.find((tool) => !known.includes(tool));
  if (unknown === undefined) return;
  const problem = project.toolProblem(unknown);
  if (problem) throw problem;
  const [meant] = closest(unknown, known);
  throw new Problem("E_DIRECTIVE_INVALID", {
    what: `The directive ${directive.name} has a right to a tool that does not exist: ${unknown}.`,
    why: meant ? `Did you mean ${meant}?` : `There are: ${known.join(", ")}.`,
  });
}

export function parsePairs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw new Problem("E_USAGE", {
        what: `"${pair}" is no input.`,
        why: "Inputs are given as name=value.",
        next: [{ cmd: `selvage run DIRECTIVE ${pair || "name"}=…`, why: "gives one" }],
      });
    }),
  );
}

export function readInputs(path: string | undefined): Record<string, string> {
  if (path === undefined) return {};
  return Object.fromEntries(
    Object.entries(readObject(path, INPUTS)).map(([key, item]) => [
      key,
      typeof item === "string" ? item : JSON.stringify(item),
    ]),
  );
}
