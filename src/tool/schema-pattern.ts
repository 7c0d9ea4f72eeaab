/**
 * The patterns of a JSON Schema, matched in linear time: the validator would use JavaScript's own, and one careless
 * pattern with one unlucky text of a model would hold up every thread. It lets formats be added, so each pattern
 * becomes a format of its own.
 */
import { format } from "@cfworker/json-schema";
import type { JsonSchema } from "../core/input.ts";
import { linearPattern, type Pattern } from "./linear-pattern.ts";

/** How the validator's words call such a pattern. */
export const PATTERN_FORMAT = /format "selvage-pattern /;
const PREFIX = "selvage-pattern ";

/** These hold values, not schemas. */
const VALUES = new Set(["enum", "const", "default", "examples"]);

/**
 * What to do with patterns that only JavaScript can match: `run` them, at the risk of whoever wrote them, or `skip`
 * them where somebody else checks again.
 */
export type Others = "run" | "skip";

export function withLinearPatterns(schema: JsonSchema, others: Others): JsonSchema {
  return changed(schema, others) as JsonSchema;
}

function changed(node: unknown, others: Others): unknown {
  if (Array.isArray(node)) return node.map((item) => changed(item, others));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, item]) => [
    key,
    VALUES.has(key) ? item : changed(item, others),
  ]);
  const { pattern, ...rest }: Record<string, unknown> = Object.fromEntries(entries);
  if (typeof pattern !== "string") return pattern === undefined ? rest : { ...rest, pattern };
  if (others === "skip" && !isLinear(pattern)) return rest;
  const beside = Array.isArray(rest.allOf) ? rest.allOf : [];
  return { ...rest, allOf: [...beside, { format: formatFor(pattern) }] };
}

function formatFor(source: string): string {
  const name = PREFIX + source;
  format[name] ??= matcherFor(source);
  return name;
}

function matcherFor(source: string): (text: string) => boolean {
  const pattern: Pattern | RegExp = isLinear(source) ? linearPattern(source) : new RegExp(source, "u");
  return (text) => pattern.test(text);
}

export function isLinear(source: string): boolean {
  try {
    linearPattern(source);
    return true;
  } catch {
    return false;
  }
}
