/**
 * The longest text that every match of a pattern contains, as far as that is easily seen: so most texts need not be tried.
 * Whatever is not surely understood ends the run, or gives up: to know nothing is always right.
 */

/** Signs that are themselves after a backslash. */
const PLAIN = /[^A-Za-z0-9\s]/;
/** Only ASCII: beyond it, what the engine takes for the same letter is its own affair. */
const LITERAL = /[\u0020-\u007e\t\n]/;
const LONGEST_HEAD = 8;

export function requiredText(source: string): string | undefined {
  const runs: string[] = [];
  let run = "";
  const end = () => {
    runs.push(run);
    run = "";
  };
  for (let at = 0; at < source.length; ) {
    const atom = atomAt(source, at);
    if (!atom) return undefined;
    const repeat = repeatAt(source, at + atom.length);
    at += atom.length + repeat.length;
    if (repeat.type === "maybe") end();
    else if (atom.text === undefined) {
      // Flags and the ends of words and lines take no room, but they do not have to be seen through either.
      end();
    } else {
      run += atom.text;
      if (repeat.type === "often") end();
    }
  }
  end();
  const longest = runs.reduce((best, each) => (each.length > best.length ? each : best), "");
  return longest === "" ? undefined : longest;
}

interface Atom {
  readonly length: number;
  readonly text?: string;
}

/** Undefined: what stands here is not understood, or makes everything else a choice. */
function atomAt(source: string, at: number): Atom | undefined {
  const sign = source[at] ?? "";
  const next = source[at + 1] ?? "";
  switch (sign) {
    case "|":
    case ")":
    case "*":
    case "+":
    case "?":
    case "{":
      return undefined;
    case "\\":
      if (PLAIN.test(next) && LITERAL.test(next)) return { length: 2, text: next };
      if (next === "n" || next === "t") return { length: 2, text: next === "n" ? "\n" : "\t" };
      return /[dDwWsSbBAz]/.test(next) ? { length: 2 } : undefined;
    case "(":
      return groupAt(source, at);
    case "[":
      return classAt(source, at);
    case ".":
    case "^":
    case "$":
      return { length: 1 };
    default:
      return LITERAL.test(sign) ? { length: 1, text: sign } : { length: 1 };
  }
}

/** A group is stepped over; one that changes how the rest is read, only if it is about case. */
function groupAt(source: string, start: number): Atom | undefined {
  const head = source.slice(start, start + LONGEST_HEAD);
  if (head.startsWith("(?") && !/^\(\?(i\)|i:|:|P?<)/.test(head)) return undefined;
  // The engine sees through it: a repeat behind it is about what stands before it.
  if (head.startsWith("(?i)") && repeatAt(source, start + 4).length > 0) return undefined;
  let depth = 0;
  for (let at = start; at < source.length; ) {
    const sign = source[at];
    if (sign === "\\") {
      if (/[QE]/.test(source[at + 1] ?? "")) return undefined;
      at += 2;
      continue;
    }
    if (sign === "[") {
      const inside = classAt(source, at);
      if (!inside) return undefined;
      at += inside.length;
      continue;
    }
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    at += 1;
    if (depth === 0) return { length: at - start };
  }
  return undefined;
}

/** Classes with names inside are left alone. */
function classAt(source: string, start: number): Atom | undefined {
  const found = /^\[\^?\]?(?:[^\]\\[]|\\[^QE])*\]/s.exec(source.slice(start));
  return found ? { length: found[0].length } : undefined;
}

interface Repeat {
  readonly length: number;
  /** `maybe`: what stands before it may be missing. */
  readonly type: "once" | "often" | "maybe";
}

function repeatAt(source: string, at: number): Repeat {
  const found = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(source.slice(at));
  if (!found) return { length: 0, type: "once" };
  const [{ length }, sign, least] = found;
  const isMaybe = sign === "*" || sign === "?" || least === "0" || /^0+$/.test(least ?? "");
  return { length, type: isMaybe ? "maybe" : "often" };
}
