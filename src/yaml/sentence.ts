/** What a schema found wrong, in words a person understands. */
import type * as z from "zod/mini";
import { closest } from "../core/closest.ts";
import { oneLine } from "../core/text.ts";
import type { Path } from "./parse.ts";

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

type Issue = z.core.$ZodIssue;

export function sentence(issue: Issue, root: unknown): string {
  const where = written(issue.path);
  const value = valueAt(root, issue.path);
  if (value === undefined) return `${where || "it"} is missing`;
  const text = `${expected(issue)}${isPlain(issue) ? `, not ${shown(value)}` : ""}${meant(issue, value)}`;
  return where ? `${where}: ${text}` : text;
}

/** Our own words where the issue says enough; the library's depend on a locale that anyone may set. */
function expected(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      return `expected ${issue.inclusive ? "at least" : "more than"} ${counted(issue.minimum, issue.origin)}`;
    case "too_big":
      return `expected ${issue.inclusive ? "at most" : "less than"} ${counted(issue.maximum, issue.origin)}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "not a name";
    default:
      // A union, a pattern or a check of ours: the schema brings the words.
      return issue.message;
  }
}

function meant(issue: Issue, value: unknown): string {
  if (issue.code !== "invalid_value" || typeof value !== "string") return "";
  const [near] = closest(value.slice(0, 100), issue.values.map(String));
  return near ? `; did you mean "${near}"?` : "";
}

function counted(count: number | bigint, origin: string): string {
  const unit = origin === "array" ? "item" : origin === "string" ? "character" : undefined;
  if (!unit) return String(count);
  return `${count} ${unit}${Number(count) === 1 ? "" : "s"}`;
}

/** Issues about the value itself: showing it helps. */
function isPlain(issue: Issue): boolean {
  return issue.code !== "custom" && issue.code !== "invalid_key";
}

function shown(value: unknown): string {
  if (value === null) return "nothing";
  return oneLine(JSON.stringify(value) ?? String(value), 40);
}

function written(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? oneLine(String(step), 40) : `${text}.${oneLine(String(step), 40)}`;
  }, "");
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    return (value as Record<PropertyKey, unknown>)[step];
  }, root);
}
