/** The tags of a directive as the value its front matter would have, with the place of every part. */
import { isVerb, rightOfAction } from "../core/right.ts";
import type { Path } from "../yaml/parse.ts";
import type { Fault } from "./place.ts";
import type { XmlElement } from "./xml.ts";
import { LIMIT_NAMES } from "./xml-grammar.ts";

type Value = Record<string, unknown>;

/** What was read so far. Its keys come from a table or were checked: no key of a hostile file reaches a prototype. */
export class XmlHead {
  readonly value: Value = {};
  readonly faults: Fault[] = [];
  readonly #offsets = new Map<string, number>();

  mark(path: Path, at: number): void {
    this.#offsets.set(key(path), at);
  }

  /** Where the part at `path` stands; where it is not written, its nearest ancestor. */
  offsetOf(path: Path): number | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const at = this.#offsets.get(key(path.slice(0, length)));
      if (at !== undefined) return at;
    }
    return undefined;
  }
}

function key(path: Path): string {
  return path.map(String).join("\0");
}

/** `element` is one of a directive's parts, and has passed the grammar. */
export function readPart(head: XmlHead, element: XmlElement): void {
  const { name, at } = element;
  if (name === "category" || name === "author" || name === "metadata" || name === "process") return;
  if (Object.hasOwn(head.value, name)) {
    head.faults.push({ at, message: `<${name}> stands twice`, fix: "keep one of them" });
    return;
  }
  head.mark([name], at);
  head.value[name] = partValue(head, element);
}

function partValue(head: XmlHead, element: XmlElement): unknown {
  const { name } = element;
  switch (name) {
    case "model":
      return attributeValues(head, element, [name]);
    case "limits":
      return limits(head, element);
    case "permissions":
    case "delegates":
      return list(head, element, (right) =>
        right.name === "ask" ? { ask: flatText(right) } : rightText(head, right),
      );
    case "inputs":
    case "outputs":
      return declarations(head, element);
    case "hooks":
      return list(head, element, (hook, path) => hookValue(head, hook, path));
    default:
      return flatText(element);
  }
}

function limits(head: XmlHead, element: XmlElement): Value {
  const values: Value = {};
  for (const [name, { value, at }] of element.attributes) {
    const limit = LIMIT_NAMES[name] ?? name;
    if (Object.hasOwn(values, limit))
      head.faults.push({ at, message: `the limit ${limit} stands twice`, fix: `remove ${name}` });
    head.mark(["limits", limit], at);
    // Money stays text: a binary fraction would change it.
    values[limit] = limit === "spend" ? value : numberIn(value);
  }
  return values;
}

function declarations(head: XmlHead, parent: XmlElement): Value {
  const values: Value = {};
  for (const element of elementsIn(parent)) {
    const name = element.attributes.get("name")?.value;
    if (name === undefined || name === "__proto__" || Object.hasOwn(values, name)) {
      head.faults.push(nameFault(element, name));
      continue;
    }
    const path = [parent.name, name];
    head.mark(path, element.at);
    const { name: _, required, ...others } = attributeValues(head, element, path);
    const description = flatText(element);
    values[name] = {
      ...others,
      ...(required === undefined ? {} : { required: booleanIn(required) }),
      ...(description === "" ? {} : { description }),
    };
  }
  return values;
}

function nameFault({ name: tag, at }: XmlElement, name: string | undefined): Fault {
  if (name === undefined)
    return { at, message: `<${tag}> has no name`, fix: `write <${tag} name="…" type="string">` };
  const message =
    name === "__proto__" ? `the name ${name} is not allowed` : `the ${tag} "${name}" stands twice`;
  return { at, message };
}

function rightText(head: XmlHead, element: XmlElement): string {
  const { name, at, attributes } = element;
  if (!isVerb(name)) return flatText(element);
  const resource = attributes.get("resource");
  if (resource && resource.value !== "rye" && resource.value !== "selvage") {
    const fix = 'write resource="selvage"';
    head.faults.push({ at: resource.at, message: 'resource: expected "selvage" or "rye"', fix });
  }
  const action = attributes.get("action")?.value;
  if (action !== undefined) return rightOfAction(name, action);
  head.faults.push({ at, message: `<${name}> has no action`, fix: `write <${name} action="tool.NAME" />` });
  return `${name}.*`;
}

function hookValue(head: XmlHead, hook: XmlElement, path: Path): Value {
  const value: Value = attributeValues(head, hook, path);
  for (const child of elementsIn(hook)) {
    head.mark([...path, child.name], child.at);
    if (Object.hasOwn(value, child.name))
      head.faults.push({ at: child.at, message: `<${child.name}> stands twice in this hook` });
    value[child.name] = child.name === "inputs" ? hookInputs(head, child, path) : flatText(child);
  }
  return value;
}

function hookInputs(head: XmlHead, inputs: XmlElement, path: Path): Value {
  const values: Value = {};
  for (const element of elementsIn(inputs)) {
    const { name, at } = element;
    head.mark([...path, "inputs", name], at);
    if (name === "__proto__") head.faults.push(nameFault(element, name));
    else values[name] = flatText(element);
  }
  return values;
}

function list<T>(
  head: XmlHead,
  parent: XmlElement,
  read: (element: XmlElement, path: Path) => T,
): readonly T[] {
  return elementsIn(parent).map((element, index) => {
    const path = [parent.name, index];
    head.mark(path, element.at);
    return read(element, path);
  });
}

function attributeValues(head: XmlHead, { attributes }: XmlElement, path: Path): Record<string, string> {
  for (const [name, { at }] of attributes) head.mark([...path, name], at);
  return Object.fromEntries([...attributes].map(([name, { value }]) => [name, value]));
}

export function elementsIn({ children }: XmlElement): XmlElement[] {
  return children.filter((child): child is XmlElement => "name" in child);
}

function flatText({ children }: XmlElement): string {
  const text = children.map((child) => ("text" in child ? child.text : "")).join("");
  return text.replace(/\s+/g, " ").trim();
}

/** What is no number stays text, for the schema to name. */
function numberIn(value: string): string | number {
  return /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
}

function booleanIn(value: string): string | boolean {
  return value === "true" || value === "false" ? value === "true" : value;
}
