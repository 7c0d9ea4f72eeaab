// The "never" column of the size table. What passes here may still deserve a second look.

import { isTest, type Source } from "./source.ts";

const LIMITS = { file: 400, function: 60, exports: 10, imports: 20, testFile: 500 };

const EMPTY_NAMES = /^(utils?|helpers?|common|manager|service|handler|base|impl|types?)$/;

/** Public entry files: their exports are pinned by name in architecture.test.ts, not counted here. */
export const ENTRIES = ["src/index.ts", "src/testing.ts", "src/testing/index.ts"];

export interface SizeComplaint {
  readonly rule: "file" | "function" | "exports" | "imports" | "testFile" | "name";
  readonly path: string;
  readonly text: string;
}

export function sizeComplaints(source: Source): SizeComplaint[] {
  const complaints = isTest(source) ? testComplaints(source) : sourceComplaints(source);
  const segments = source.path.replace(/(\.test)?\.[cm]?tsx?$/, "").split("/");
  const empty = segments.filter((segment) => EMPTY_NAMES.test(segment));
  return [
    ...complaints,
    ...empty.map((name) => complaint("name", source, `"${name}" says nothing about what it holds`)),
  ];
}

function testComplaints(source: Source): SizeComplaint[] {
  return tooMany("testFile", source, source.lines, "lines");
}

function sourceComplaints(source: Source): SizeComplaint[] {
  const imports = source.imports.filter(({ form }) => form === "import").length;
  const exports = ENTRIES.includes(source.path) ? 0 : source.exports.length + source.passedOn.length;
  return [
    ...tooMany("file", source, source.lines, "lines"),
    ...tooMany("imports", source, imports, "imports"),
    ...tooMany("exports", source, exports, "exports"),
    ...source.functions.flatMap(({ name, line, lines }) =>
      tooMany("function", source, lines, `lines in ${name} (line ${line})`),
    ),
  ];
}

function tooMany(rule: keyof typeof LIMITS, source: Source, count: number, what: string): SizeComplaint[] {
  return count > LIMITS[rule] ? [complaint(rule, source, `${count} ${what}, at most ${LIMITS[rule]}`)] : [];
}

function complaint(rule: SizeComplaint["rule"], { path }: Source, text: string): SizeComplaint {
  return { rule, path, text };
}
