/**
 * What a start does not need is loaded when it is first used. `first-modules.json` lists the modules that a thread needs
 * until its first request and a few commands until their answer, and those that its turns need then; it was watched, not
 * thought out (`npx tsx scripts/first-modules.mjs`). A module that is in no list works as well, it is only loaded later.
 */
import { readFileSync } from "node:fs";
import type { Plugin } from "rolldown";
import { inserted, type Node, walk } from "./code-text.ts";

/** How the names of files end that nothing loads before it uses them. */
const LATER = "-later";
/** What is in them, in this order. */
export const PARTS = ["", `-turn${LATER}`, LATER] as const;

const lists = JSON.parse(readFileSync(new URL("./first-modules.json", import.meta.url), "utf8"));
const first = new Set<string>(lists.first);
const turn = new Set<string>(lists.turn);

export function partOf(root: string, id: string): (typeof PARTS)[number] {
  // The packages may lie elsewhere, behind a link: their names begin with `node_modules` all the same.
  const name = id.slice(id.startsWith(root) ? root.length : id.indexOf("/node_modules/") + 1);
  if (first.has(name)) return PARTS[0];
  return turn.has(name) ? PARTS[1] : PARTS[2];
}

/** Parts of Node that take a millisecond each and that most starts do not use, or not before they wait for something. */
const LATE_BUILTINS = /^node:(?:child_process|fs\/promises|https?|net|readline|tls|worker_threads|zlib)$/;

/**
 * Those files, and those parts of Node, are asked for where they are used. All that is bundled does nothing when it is
 * loaded but to get itself ready, so it does not matter when that is.
 */
export function askedWhenUsed(): Plugin {
  return {
    name: "asked when used",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") chunk.code = whenUsed(chunk.code, this.parse(chunk.code));
      }
    },
  };
}

export function whenUsed(code: string, tree: unknown): string {
  const found = lateNames(tree);
  const texts = new Map<number, string>();
  const cut = new Map<number, number>();
  for (const { name, start, end, asked } of found.values()) {
    cut.set(start, end);
    texts.set(start, `let ${name}$;const ${name}=()=>${name}$??=require(${JSON.stringify(asked)});`);
  }
  const { names, short } = namesOnly(tree);
  walk(tree, (node) => {
    const late = node["type"] === "Identifier" ? found.get(String(node["name"])) : undefined;
    if (!late || Number(node["start"]) < late.end || names.has(node["start"])) return;
    // Between parentheses, for it may stand behind `new`.
    const before = short.has(node["start"]) ? `${late.name}:(` : "(";
    texts.set(Number(node["start"]), before).set(Number(node["end"]), "())");
  });
  return inserted(code, texts, cut);
}

/** Where words stand that name a property and nothing else, and where one word is both. */
function namesOnly(tree: unknown): Record<"names" | "short", Set<unknown>> {
  const names = new Set<unknown>();
  const short = new Set<unknown>();
  walk(tree, ({ computed, shorthand, property, key }) => {
    const word = (property ?? key) as Node | undefined;
    if (word !== undefined && computed === false) (shorthand === true ? short : names).add(word["start"]);
  });
  return { names, short };
}

interface Late {
  readonly name: string;
  readonly asked: string;
  readonly start: number;
  readonly end: number;
}

/** Top-level `const name=require("…")` of what is late and is never written again. */
function lateNames(tree: unknown): Map<string, Late> {
  const found = new Map<string, Late>();
  const body = (tree as { body: readonly Node[] }).body;
  for (const statement of body) {
    const [declared, ...others] = (statement["declarations"] ?? []) as readonly Node[];
    if (declared === undefined || others.length > 0) continue;
    const name = String((declared["id"] as Node)["name"]);
    const asked = requiredBy(declared["init"] as Node | null);
    if (asked === undefined || !(asked.includes(`${LATER}-`) || LATE_BUILTINS.test(asked))) continue;
    found.set(name, { name, asked, start: Number(statement["start"]), end: Number(statement["end"]) });
  }
  walk(tree, (node) => {
    if (node["type"] === "AssignmentExpression") found.delete(String((node["left"] as Node)["name"]));
  });
  return found;
}

function requiredBy(init: Node | null): string | undefined {
  if (init?.["type"] !== "CallExpression" || (init["callee"] as Node)["name"] !== "require") return undefined;
  const [argument] = init["arguments"] as readonly Node[];
  if (argument?.["type"] === "Literal") return String(argument["value"]);
  const [text] = (argument?.["quasis"] ?? []) as readonly Node[];
  return text === undefined ? undefined : String((text["value"] as Node)["cooked"]);
}
