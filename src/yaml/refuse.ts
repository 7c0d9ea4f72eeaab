/** What we refuse of YAML although its grammar allows it. */
import { type CST, type Document, isScalar, type ParsedNode, visit } from "yaml";

/** The composer is recursive: some thousand levels overflow the stack, which can abort Node itself. */
export const MAX_DEPTH = 100;

interface Refusal {
  readonly offset: number;
  readonly message: string;
}

interface Branch {
  readonly items?: readonly Branch[];
  readonly key?: Branch | null;
  readonly value?: Branch | string | null;
}

/** Counts on the token tree, which the library builds without recursion; so must we walk it. */
export function isTooDeep(tokens: readonly CST.Token[]): boolean {
  const left = tokens.map((token) => ({ branch: token as Branch, depth: 0 }));
  for (let next = left.pop(); next; next = left.pop()) {
    const { branch, depth } = next;
    if (depth > MAX_DEPTH) return true;
    for (const item of branch.items ?? []) left.push({ branch: item, depth: depth + 1 });
    for (const part of [branch.key, branch.value]) {
      if (part && typeof part === "object") left.push({ branch: part, depth });
    }
  }
  return false;
}

/** `__proto__` as a key, a key twice in one mapping, an alias without its anchor. */
export function refusals(document: Document<ParsedNode>): Refusal[] {
  const found: Refusal[] = [];
  const anchors = new Set<string>();
  const refuse = (node: unknown, message: string) => {
    found.push({ offset: (node as ParsedNode).range[0], message });
  };
  visit(document, {
    Node: (_, node) => {
      if ("anchor" in node && node.anchor) anchors.add(node.anchor);
    },
    Alias: (_, alias, path) => {
      const isInside = path.some((node) => "anchor" in node && node.anchor === alias.source);
      // Such a value has no end: nobody could walk it or write it down.
      if (isInside) refuse(alias, `the alias *${alias.source} stands inside what it names`);
      else if (!anchors.has(alias.source))
        refuse(alias, `no anchor &${alias.source} stands before this alias`);
    },
    Map: (_, map) => {
      if (map.anchor) anchors.add(map.anchor);
      const keys = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined) refuse(key ?? map, "a key must be plain text");
        else if (name === "__proto__") refuse(key, "the key __proto__ is not allowed");
        else if (keys.has(name)) refuse(key, `the key ${JSON.stringify(name)} stands twice`);
        if (name !== undefined) keys.add(name);
      }
    },
  });
  return found;
}
