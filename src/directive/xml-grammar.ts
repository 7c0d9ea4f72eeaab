/** Which tags and attributes a directive may have. What is not here is named, with what was probably meant. */
import { closest } from "../core/closest.ts";
import { oneLine } from "../core/text.ts";
import type { Fault } from "./place.ts";
import type { XmlElement } from "./xml.ts";

interface Rule {
  readonly attributes?: readonly string[];
  readonly children?: Readonly<Record<string, Rule>>;
  /** Tags of any name, all alike. */
  readonly anyChild?: Rule;
  readonly holds?: "text" | "anything";
}

/** The seeds' names of limits beside ours. */
export const LIMIT_NAMES: Readonly<Record<string, string>> = {
  turns: "turns",
  max_turns: "turns",
  tokens: "tokens",
  max_tokens: "tokens",
  spend: "spend",
  max_spend: "spend",
  spawns: "spawns",
  max_spawns: "spawns",
  depth: "depth",
  max_depth: "depth",
  duration: "duration",
  max_duration: "duration",
  retry_max: "retry_max",
  backoff_base: "backoff_base",
};

const TEXT: Rule = { holds: "text" };
const ACTION: Rule = { attributes: ["resource", "action"] };
const RIGHTS = { cap: TEXT, execute: ACTION, search: ACTION, load: ACTION, sign: ACTION };

const HOOK: Rule = {
  attributes: ["id", "event", "when"],
  children: { directive: TEXT, command: TEXT, inputs: { anyChild: TEXT } },
};

const PARTS: Readonly<Record<string, Rule>> = {
  description: TEXT,
  version: TEXT,
  model: { attributes: ["id", "tier"] },
  limits: { attributes: Object.keys(LIMIT_NAMES) },
  tools: { children: { tool: TEXT } },
  permissions: { children: { ...RIGHTS, ask: TEXT } },
  delegates: { children: RIGHTS },
  inputs: { children: { input: { attributes: ["name", "type", "required"], holds: "text" } } },
  outputs: { children: { output: { attributes: ["name", "type"], holds: "text" } } },
  hooks: { children: { hook: HOOK } },
  on_exit: TEXT,
  // Written by other tools for people; nothing here depends on them.
  category: TEXT,
  author: TEXT,
};

const DIRECTIVE: Rule = {
  attributes: ["name", "version"],
  children: { metadata: { children: PARTS }, ...PARTS, process: { holds: "anything" } },
};

export function grammarFaults(root: XmlElement): Fault[] {
  if (root.name !== "directive") return [unknownTag(root, ["directive"])];
  return faultsIn(root, DIRECTIVE);
}

function faultsIn(element: XmlElement, rule: Rule): Fault[] {
  if (rule.holds === "anything") return [];
  const known = rule.attributes ?? [];
  const strange = [...element.attributes]
    .filter(([name]) => !known.includes(name))
    .map(([name, { at }]) => unknownAttribute(element, name, at, known));
  return [...strange, ...element.children.flatMap((child) => childFaults(element, rule, child))];
}

function childFaults(parent: XmlElement, rule: Rule, child: XmlElement["children"][number]): Fault[] {
  if ("text" in child) {
    if (rule.holds === "text" || child.text.trim() === "") return [];
    const at = child.at + child.text.search(/\S/);
    return [{ at, message: `<${parent.name}> holds tags, not text` }];
  }
  const { children = {}, anyChild } = rule;
  const inner = Object.hasOwn(children, child.name) ? children[child.name] : anyChild;
  return inner ? faultsIn(child, inner) : [unknownTag(child, Object.keys(children), parent)];
}

function unknownTag({ name, at }: XmlElement, known: readonly string[], parent?: XmlElement): Fault {
  const [meant] = closest(name.slice(0, 100), known);
  const where = parent ? ` in <${parent.name}>` : "";
  const tags = known.map((tag) => `<${tag}>`).join(", ");
  const hint = meant ? `did you mean <${meant}>?` : `known here: ${tags || "no tags"}`;
  const fix = meant ? `write <${meant}>` : "remove it";
  return { at, message: `unknown tag <${oneLine(name, 40)}>${where}; ${hint}`, fix };
}

function unknownAttribute(element: XmlElement, name: string, at: number, known: readonly string[]): Fault {
  const [meant] = closest(name.slice(0, 100), known);
  const hint = meant ? `did you mean "${meant}"?` : `known here: ${known.join(", ") || "none"}`;
  const fix = meant ? `write ${meant}` : "remove it";
  return { at, message: `unknown attribute "${oneLine(name, 40)}" of <${element.name}>; ${hint}`, fix };
}
