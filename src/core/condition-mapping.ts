/**
 * The mapping form of a condition, as CEL: `{path, op, value}`, `{any: […]}`, `{all: […]}`, `{not: …}`, and CEL as text in
 * their places. `value` is text, a number, true, false or null; with `in` a list of them. Each part is read by
 * itself, so that a complaint finds its place in the file.
 */
import { closest } from "./closest.ts";

type Path = readonly (string | number)[];

interface Fault {
  readonly message: string;
  readonly fix?: string;
}

type Written = { readonly text: string } | { readonly fault: Fault & { readonly path: Path } };

/** A single part as CEL: checked, with what is short for something spelled out. */
type Read = (text: string) => { readonly text: string } | { readonly fault: Fault };

/** Far more than a person writes; a mapping built by a program may refer to itself. */
const MOST_PARTS = 100;
const MOST_LEVELS = 10;

const SIGNS = ["==", "!=", "<", "<=", ">", ">=", "in"];
const FUNCTIONS: Readonly<Record<string, (path: string, value: string) => string>> = {
  contains: (path, value) => `${path}.contains(${value})`,
  starts_with: (path, value) => `${path}.startsWith(${value})`,
  ends_with: (path, value) => `${path}.endsWith(${value})`,
  like: (path, value) => `like(${path}, ${value})`,
};
const WORDS: Readonly<Record<string, string>> = {
  eq: "==",
  ne: "!=",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
};
const OPERATORS = [...SIGNS, ...Object.keys(FUNCTIONS), ...Object.keys(WORDS)];
const FACT_PATH = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const SHAPE = "expected a mapping with path, op and value, or with any, all or not";

/** Without `read`, only the shape is looked at. */
export function mappingText(value: unknown, read: Read = (text) => ({ text })): Written {
  let parts = 0;
  const write = (part: unknown, path: Path): Written => {
    parts += 1;
    if (parts > MOST_PARTS) return fault(path, `more than ${MOST_PARTS} parts in one condition`);
    if (path.length > 2 * MOST_LEVELS) return fault(path, `nested deeper than ${MOST_LEVELS} levels`);
    if (typeof part === "string" && path.length > 0) return readAt(part, path, read);
    if (typeof part !== "object" || part === null || Array.isArray(part)) return fault(path, SHAPE);
    const { any, all, not } = part as Readonly<Record<string, unknown>>;
    switch (Object.keys(part).sort().join(" ")) {
      case "any":
        return joined(any, [...path, "any"], " || ", write);
      case "all":
        return joined(all, [...path, "all"], " && ", write);
      case "not": {
        const inner = write(not, [...path, "not"]);
        return "text" in inner ? { text: `!(${inner.text})` } : inner;
      }
      case "op path value":
        return test(part as Readonly<Record<string, unknown>>, path, read);
      default:
        return fault(path, SHAPE);
    }
  };
  return write(value, []);
}

function joined(
  parts: unknown,
  path: Path,
  sign: string,
  write: (part: unknown, path: Path) => Written,
): Written {
  if (!Array.isArray(parts) || parts.length === 0) return fault(path, "expected a list of conditions");
  const texts: string[] = [];
  for (const [index, part] of parts.entries()) {
    const written = write(part, [...path, index]);
    if ("fault" in written) return written;
    texts.push(`(${written.text})`);
  }
  return { text: texts.join(sign) };
}

function test({ path: name, op, value }: Readonly<Record<string, unknown>>, path: Path, read: Read): Written {
  if (typeof name !== "string" || !FACT_PATH.test(name))
    return fault([...path, "path"], "expected the name of a fact, such as cost.spend");
  if (typeof op !== "string" || !OPERATORS.includes(op)) return unknownOperator([...path, "op"], op);
  const literal = op === "in" ? listLiteral(value) : scalarLiteral(value);
  if (literal === undefined) {
    const expected =
      op === "in" ? "a list of texts, numbers, true or false" : "text, a number, true or false";
    return fault([...path, "value"], `expected ${expected}`);
  }
  const text = FUNCTIONS[op]?.(name, literal) ?? `${name} ${WORDS[op] ?? op} ${literal}`;
  return readAt(text, path, read);
}

function readAt(text: string, path: Path, read: Read): Written {
  const part = read(text);
  if ("fault" in part) return { fault: { ...part.fault, path } };
  // What comes after a comment stands on a line of its own.
  return text.includes("//") ? { text: `${part.text}\n` } : part;
}

function unknownOperator(path: Path, op: unknown): Written {
  if (op === "matches") return fault(path, '"matches" can hang; use like', "write like");
  const [meant] = typeof op === "string" ? closest(op.slice(0, 40), OPERATORS) : [];
  if (meant) return fault(path, `there is no operator "${op}"; did you mean "${meant}"?`, `write ${meant}`);
  return fault(path, `expected an operator: ${OPERATORS.join(" ")}`);
}

function listLiteral(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map(scalarLiteral);
  return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
}

/** JSON of these is CEL too. */
function scalarLiteral(value: unknown): string | undefined {
  const isPlain = value === null || typeof value === "string" || typeof value === "boolean";
  return isPlain || (typeof value === "number" && Number.isFinite(value)) ? JSON.stringify(value) : undefined;
}

function fault(path: Path, message: string, fix?: string): Written {
  return { fault: { path, message, ...(fix === undefined ? {} : { fix }) } };
}
