/**
 * XML as people write it, read strictly: the tokenizer forgives everything (so that `when="a && b < 3"` can be read),
 * and this layer refuses what it forgives.
 *   X1. Every tag is closed, in order; a closing tag closes something.
 *   X2. A tag's name is a name, and no attribute stands twice in a tag.
 *   X3. The text is used up to its end: no tag is left half written.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { closest } from "../core/closest.ts";
import { oneLine } from "../core/text.ts";
import { type Fault, MOST_FAULTS } from "./place.ts";

interface XmlAttribute {
  readonly value: string;
  readonly at: number;
}

interface XmlText {
  readonly text: string;
  readonly at: number;
}

export interface XmlElement {
  readonly name: string;
  readonly at: number;
  /** The opening tag as it is written. */
  readonly open: string;
  readonly attributes: ReadonlyMap<string, XmlAttribute>;
  readonly children: readonly (XmlElement | XmlText)[];
  readonly isSelfClosed: boolean;
}

/** The walks over the tree are recursive: some thousand levels would overflow the stack. */
const MAX_DEPTH = 50;
const NAME = /^[A-Za-z_][\w.-]*$/;

export function parseXml(source: string): { root: XmlElement } | { faults: readonly Fault[] } {
  const tree = new Tree(source);
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, tree);
  tokenizer.write(source);
  tokenizer.end();
  return tree.result();
}

interface Growing extends XmlElement {
  readonly attributes: Map<string, XmlAttribute>;
  readonly children: (XmlElement | XmlText)[];
}

class Tree implements TokenizerCallbacks {
  readonly #source: string;
  readonly #faults: Fault[] = [];
  readonly #top: (XmlElement | XmlText)[] = [];
  #open: Growing[] = [];
  #tag: { name: string; at: number; attributes: Map<string, XmlAttribute> } | undefined;
  #attribute: { name: string; at: number; value: string } | undefined;
  /** Up to here the source was understood. */
  #covered = 0;
  /** What comes after a fault of this kind cannot be told apart from its consequences. */
  #isLost = false;

  constructor(source: string) {
    this.#source = source;
  }

  result(): { root: XmlElement } | { faults: readonly Fault[] } {
    const roots = this.#top.filter((node): node is XmlElement => "name" in node);
    const [root, second] = roots;
    const stray = this.#top.find((node) => "text" in node && node.text.trim() !== "");
    if (stray) this.#fault(stray.at, "text stands outside of <directive>");
    if (second) this.#fault(second.at, `a second <${oneLine(second.name, 40)}> starts here; one is allowed`);
    if (!root && this.#faults.length === 0) this.#fault(0, "there is no tag here");
    return root && this.#faults.length === 0
      ? { root }
      : { faults: this.#faults.toSorted((left, right) => left.at - right.at) };
  }

  onopentagname(start: number, end: number): void {
    const name = this.#source.slice(start, end);
    this.#tag = { name, at: start - 1, attributes: new Map() };
    if (NAME.test(name)) return;
    this.#fault(start - 1, `"<${oneLine(name, 20)}" starts no tag`, "write &lt; for a plain <");
    this.#isLost = true;
  }

  onattribname(start: number, end: number): void {
    this.#attribute = { name: this.#source.slice(start, end), at: start, value: "" };
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute) this.#attribute.value += this.#source.slice(start, end);
  }

  onattribentity(codepoint: number): void {
    if (this.#attribute) this.#attribute.value += String.fromCodePoint(codepoint);
  }

  onattribend(): void {
    if (!this.#attribute || !this.#tag) return;
    const { name, at, value } = this.#attribute;
    if (this.#tag.attributes.has(name)) this.#fault(at, `the attribute ${oneLine(name, 40)} stands twice`);
    this.#tag.attributes.set(name, { value, at });
  }

  onopentagend(end: number): void {
    const element = this.#begin(end, false);
    if (!element) return;
    if (this.#open.length >= MAX_DEPTH) {
      this.#fault(element.at, `nested deeper than ${MAX_DEPTH} levels`);
      this.#isLost = true;
    }
    this.#open.push(element);
  }

  onselfclosingtag(end: number): void {
    this.#begin(end, true);
  }

  onclosetag(start: number, end: number): void {
    this.#cover(this.#source.indexOf(">", end) + 1);
    const name = this.#source.slice(start, end);
    const depth = this.#open.findLastIndex((element) => element.name === name);
    if (depth >= 0) {
      for (const left of this.#open.slice(depth + 1)) this.#unclosed(left);
      this.#open = this.#open.slice(0, depth);
      return;
    }
    const last = this.#open.at(-1);
    const isMeant = last !== undefined && closest(name.slice(0, 40), [last.name.slice(0, 40)]).length > 0;
    if (isMeant) this.#open.pop();
    this.#fault(
      start - 2,
      `</${oneLine(name, 40)}> closes nothing${isMeant ? `; did you mean </${last.name}>?` : ""}`,
      isMeant ? `write </${last.name}>` : `remove it, or write <${oneLine(name, 40)}> before it`,
    );
  }

  ontext(start: number, end: number): void {
    this.#say(this.#source.slice(start, end), start);
    this.#cover(end);
  }

  ontextentity(codepoint: number, end: number): void {
    this.#say(String.fromCodePoint(codepoint), this.#covered);
    this.#cover(end);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.#say(this.#source.slice(start, end - endOffset), start);
    this.#cover(end + 1);
  }

  oncomment(_start: number, end: number): void {
    this.#cover(end + 1);
  }

  ondeclaration(start: number, end: number): void {
    this.#fault(start - 1, "declarations such as <!DOCTYPE> are not allowed", "remove it");
    this.#cover(end + 1);
  }

  onprocessinginstruction(_start: number, end: number): void {
    this.#cover(end + 1);
  }

  onend(): void {
    const rest = this.#source.slice(this.#covered);
    if (rest.trim() !== "") this.#fault(this.#covered, "the tag that starts here is not finished by >");
    for (const element of this.#open) this.#unclosed(element);
  }

  #begin(end: number, isSelfClosed: boolean): Growing | undefined {
    if (!this.#tag || this.#isLost) return undefined;
    const { name, at, attributes } = this.#tag;
    const open = this.#source.slice(at, end + 1);
    const element: Growing = { name, at, open, attributes, children: [], isSelfClosed };
    this.#siblings().push(element);
    this.#cover(end + 1);
    return element;
  }

  #siblings(): (XmlElement | XmlText)[] {
    return this.#open.at(-1)?.children ?? this.#top;
  }

  #say(text: string, at: number): void {
    if (!this.#isLost) this.#siblings().push({ text, at });
  }

  #unclosed({ name, at }: XmlElement): void {
    this.#fault(at, `<${name}> is not closed`, `write </${name}>, or end the tag with />`);
  }

  #cover(end: number): void {
    this.#covered = Math.max(this.#covered, end);
  }

  #fault(at: number, message: string, fix?: string): void {
    if (this.#isLost || this.#faults.length >= MOST_FAULTS) return;
    this.#faults.push({ at, message, ...(fix === undefined ? {} : { fix }) });
  }
}
