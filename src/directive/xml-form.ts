/** The seeds' form of a directive: a fence ```xml with a <directive> in it; everything around the fence is prompt. */
import type { Complaint } from "../core/directive.ts";
import type { Yaml } from "../yaml/parse.ts";
import type { XmlFence } from "./fence.ts";
import { type Fault, MOST_FAULTS, placeIn } from "./place.ts";
import { parseXml, type XmlElement } from "./xml.ts";
import { grammarFaults } from "./xml-grammar.ts";
import { elementsIn, readPart, XmlHead } from "./xml-head.ts";

export interface PromptPiece {
  readonly text: string;
  /** The stretch of the file it was made from. */
  readonly from: number;
  readonly to: number;
}

export interface XmlForm {
  readonly head: Yaml;
  readonly prompt: readonly PromptPiece[];
  /** `name="…"` of the tag; a directive's name is its path. */
  readonly declaredName?: string;
}

export function readXmlForm(
  file: string,
  text: string,
  fence: XmlFence,
): XmlForm | { readonly complaints: readonly Complaint[] } {
  const complain = (faults: readonly Fault[]) => ({
    complaints: faults.slice(0, MOST_FAULTS).map(({ at, ...fault }) => ({
      file,
      ...placeIn(text, fence.xmlAt + at),
      ...fault,
    })),
  });
  const parsed = parseXml(fence.xml);
  if ("faults" in parsed) return complain(parsed.faults);
  const { root } = parsed;
  const strange = grammarFaults(root);
  if (strange.length > 0) return complain(strange);
  const head = headOf(root);
  if (head.faults.length > 0) return complain(head.faults);
  const declaredName = root.attributes.get("name")?.value;
  return {
    head: {
      file,
      value: head.value,
      placeOf: (path) => placeIn(text, fence.xmlAt + (head.offsetOf(path) ?? root.at)),
    },
    prompt: promptPieces(root, fence),
    ...(declaredName === undefined ? {} : { declaredName }),
  };
}

/** Parts may stand in <metadata> or beside it. */
function headOf(root: XmlElement): XmlHead {
  const head = new XmlHead();
  const version = root.attributes.get("version");
  if (version) {
    head.mark(["version"], version.at);
    head.value["version"] = version.value;
  }
  const outer = elementsIn(root);
  for (const name of ["metadata", "process"]) {
    const [, second] = outer.filter((element) => element.name === name);
    if (second) head.faults.push({ at: second.at, message: `<${name}> stands twice` });
  }
  for (const element of outer) {
    const parts = element.name === "metadata" ? elementsIn(element) : [element];
    for (const part of parts) readPart(head, part);
  }
  return head;
}

/** What stands before the fence, what stands in <process>, what stands after the fence: nothing is lost. */
function promptPieces(root: XmlElement, fence: XmlFence): PromptPiece[] {
  const process = elementsIn(root).find(({ name }) => name === "process");
  const { xmlAt, after, afterAt } = fence;
  const inner = process && {
    text: outdented(process.children.map(asWritten).join("")),
    from: xmlAt + process.at,
    to: xmlAt + fence.xml.length,
  };
  return [
    { text: withoutComments(fence.before), from: 0, to: fence.before.length },
    ...(inner ? [inner] : []),
    { text: after, from: afterAt, to: afterAt + after.length },
  ];
}

/** Steps keep their tags; entities and CDATA have become the characters they stand for. */
function asWritten(node: XmlElement["children"][number]): string {
  if ("text" in node) return node.text;
  return `${node.open}${node.children.map(asWritten).join("")}${node.isSelfClosed ? "" : `</${node.name}>`}`;
}

function outdented(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const indent = indents.reduce((least, next) => Math.min(least, next), Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(Math.min(indent, line.search(/\S|$/)))).join("\n");
}

/** Signatures stand in comments above a directive; they are no part of what it asks. */
function withoutComments(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<!--", at);
    const end = start < 0 ? -1 : text.indexOf("-->", start);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + "-->".length;
  }
}
