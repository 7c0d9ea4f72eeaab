/** A value put into YAML that a person wrote: comments and order stay. */
import { type Document, isScalar, parseDocument, type Scalar, YAMLMap } from "yaml";

export interface Edit {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Paths that go, because they say the same under another name. */
  readonly gone?: readonly (readonly string[])[];
}

/** Undefined: the text is built in a way that only a person can change, an alias in the place of a mapping say. */
export function editYaml(text: string, { path, value, gone = [] }: Edit): string | undefined {
  const document = parseDocument(text, { schema: "core", resolveKnownTags: false });
  if (document.errors.length > 0) return undefined;
  try {
    for (const old of gone) remove(document, old);
    for (let length = 1; length < path.length; length += 1) openHeading(document, path.slice(0, length));
    const isCollection = typeof value === "object" && value !== null;
    document.setIn(path, isCollection ? document.createNode(value, { flow: true }) : value);
  } catch {
    // The library throws where a step of the path is not a mapping.
    return undefined;
  }
  const edited = document.toString({ lineWidth: 0 });
  return text.includes("\r\n") ? edited.replace(/\r?\n/g, "\r\n") : edited;
}

/** With the mappings above it that hold nothing else. */
function remove(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  const above = path.slice(0, -1);
  const section = document.getIn(above);
  if (above.length > 0 && section instanceof YAMLMap && section.items.length === 0) remove(document, above);
}

/** A heading with nothing but comments under it becomes a mapping, and the comments stay under it. */
function openHeading(document: Document, path: readonly string[]): void {
  const heading: unknown = document.getIn(path, true);
  if (!isScalar(heading) || heading.value !== null) return;
  const section = new YAMLMap(document.schema);
  const { comment, commentBefore } = heading as Scalar;
  const comments = [commentBefore, comment].filter((text) => text != null && text !== "");
  if (comments.length > 0) section.comment = comments.join("\n");
  document.setIn(path, section);
}
