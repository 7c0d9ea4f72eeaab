import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Problem } from "../core/problem.ts";
import { directivesOf } from "./directives.ts";
import { newDirective } from "./new.ts";
import { parseDirective } from "./parse.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-inspect-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(name: string, text: string): void {
  const path = join(root, ".ai/directives", `${name}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const noModel = (name: string) => {
  throw new Problem("E_MODEL_UNKNOWN", { what: `There is no model ${name}.`, why: "Ask again.\nMore." });
};
const modelOfTier = (tier: string): string => {
  if (tier === "fast") return "a/quick";
  const code = tier === "keyless" ? "E_AUTH" : "E_MODEL_UNKNOWN";
  throw new Problem(code, { what: `No ${tier}.`, next: [{ cmd: `tiers: { ${tier}: a/b }`, why: "" }] });
};
const found = async (name: string, requireModel: (model: string) => void = () => {}) => {
  const { problems } = await directivesOf(root, { requireModel, modelOfTier }).inspect(name, [
    "read",
    "write",
    "ls",
  ]);
  return problems.map(({ line, column, severity, code, message, fix }) =>
    [`${line}:${column} ${severity} ${code}`, message, fix].join(" | "),
  );
};

describe("lint", () => {
  test("a good directive has nothing to complain about", async () => {
    put(
      "good",
      '---\ndescription: x\nmodel: a/b\npermissions: [execute.tool.*]\nlimits: { spend: "1" }\ninputs: { a: {} }\n---\n{input:a:1}',
    );
    expect(await found("good")).toEqual([]);
  });

  test("what will surprise its author, in front matter", async () => {
    put(
      "bad",
      "---\nmodel: { id: a/b, tier: fast }\ninputs:\n  used: {}\n  idle: {}\npermissions: [execute.tool.raed]\nhooks:\n  - { id: h, event: limit, directive: goood }\n---\n{input:used?}",
    );
    put("good", "---\nmodel: scripted/x\n---\nx");
    expect(await found("bad", noModel)).toEqual([
      "2:1 warning W_NO_DESCRIPTION | it has no description | add description: What it does.",
      '2:1 warning W_NO_SPEND_LIMIT | it has no spend limit of its own: the default holds, and a parent cannot start it as a child | add limits: { spend: "0.50" }',
      "2:1 error E_MODEL_UNKNOWN | There is no model a/b. Ask again. | ",
      "2:19 warning W_TIER_IGNORED | tier has no effect beside id | remove tier",
      '5:3 warning W_UNUSED_INPUT | the input "idle" is not used in the prompt | write {input:idle}, or remove it',
      '6:15 error E_DIRECTIVE_INVALID | there is no tool "raed"; did you mean "read"? | write execute.tool.read',
      "8:28 warning W_HOOK_DIRECTIVE | the hook h names a directive that is not there: goood | write good",
    ]);
  });

  test("placeholders that nobody would fill in, at their lines", async () => {
    const head = "---\ndescription: x\nmodel: scripted/x\npermissions: [load.*]\n";
    put(
      "open",
      `${head}inputs: { folder: {}, depth: {} }\n---\nLook at {input:folder and\n\n  {input:depth?} or {input:dep-th} {input:`,
    );
    expect(await found("open")).toEqual([
      "7:9 warning W_PLACEHOLDER | {input:folder has no closing brace; it stays in the prompt as it is | write {input:folder}",
      "9:21 warning W_PLACEHOLDER | {input:dep-th} is no placeholder: a name has letters, digits and _; it stays in the prompt as it is | write {input:depth}",
      "9:36 warning W_PLACEHOLDER | {input: has no closing brace; it stays in the prompt as it is | write {input:NAME}",
    ]);
    put(
      "xml",
      '# T\n\n```xml\n<directive name="xml">\n<metadata><description>x</description>\n<model id="scripted/x"/><permissions><execute action="tool.*" /></permissions></metadata>\n<process><step name="a">A &amp; {input:a?} &lt;b&gt;\n{input:x</step></process>\n</directive>\n```\n',
    );
    expect((await found("xml")).filter((line) => line.includes("PLACEHOLDER"))).toEqual([
      "8:1 warning W_PLACEHOLDER | {input:x has no closing brace; it stays in the prompt as it is | write {input:x}",
    ]);
  });

  test("a tier, and the model that it means here", async () => {
    const tier = (name: string) =>
      `---\ndescription: x\nmodel: { tier: ${name} }\npermissions: [load.*]\nlimits: { spend: "1" }\n---\nx`;
    for (const name of ["fast", "keyless", "fats"]) put(name, tier(name));
    expect(await found("fast")).toEqual([]);
    expect(await found("fast", noModel)).toEqual([
      "3:1 error E_MODEL_UNKNOWN | There is no model a/quick. Ask again. | ",
    ]);
    expect(await found("fats")).toEqual(["3:1 error E_MODEL_UNKNOWN | No fats. | tiers: { fats: a/b }"]);
    // That this machine has no key is not the directive's fault.
    expect(await found("keyless")).toEqual([]);
    const trusted = directivesOf(root, { requireModel: () => {}, modelOfTier });
    expect(trusted.directive("fast")).toMatchObject({ model: "a/quick", tier: "fast" });
    expect((await trusted.inspect("fast")).read?.directive.model).toBe("a/quick");
    expect(() => trusted.directive("fats")).toThrow("No fats.");
    expect(directivesOf(root, undefined).directive("fast").model).toBe("");
  });

  test("conditions that name what is not there", async () => {
    const head = "---\ndescription: x\nmodel: scripted/x\npermissions: [load.*]\nhooks:\n";
    const hooks = [
      "  - { id: a, event: context_window_pressure, when: pressure_ratio > 0.8, command: ls }",
      "  - { id: b, event: limit, when: cost.spnd > 2, command: ls }",
      "  - { id: c, event: error, when: { any: [{ path: code, op: eq, value: x }] }, command: ls }",
      '  - { id: d, event: limit, command: ls, inputs: { x: "{cods}" } }',
    ];
    put("hooked", `${head}${hooks.join("\n")}\n---\nx`);
    expect(await found("hooked")).toEqual([
      '7:34 error E_DIRECTIVE_INVALID | hook b: there is no "cost.spnd"; did you mean "cost.spend"? | write cost.spend',
      '8:42 error E_DIRECTIVE_INVALID | hook c: "code" is known at limit, not at error | ',
      '9:54 error E_DIRECTIVE_INVALID | hook d: there is no "cods"; did you mean "code"? | write code',
    ]);
    await expect(directivesOf(root, undefined).directiveHooks("hooked")).rejects.toMatchObject({
      code: "E_DIRECTIVE_INVALID",
      why: expect.stringContaining(".ai/directives/hooked.md:7:34: hook b: there is no"),
    });
  });

  test("hooks are ready to run, with their place; a directive has more time than a command", async () => {
    put(
      "hooked",
      "---\nmodel: scripted/x\nhooks:\n  - { event: limit, when: spend_exceeded, command: ls }\n  - { id: b, event: limit, directive: x }\n---\nx",
    );
    expect(await directivesOf(root, undefined).directiveHooks("hooked")).toMatchObject([
      {
        ...{ id: "limit-1", event: "limit", layer: "directive", where: ".ai/directives/hooked.md:4" },
        ...{ when: { source: "spend_exceeded" }, run: { command: "ls" }, inputs: {}, timeoutSeconds: 30 },
      },
      { id: "b", event: "limit", run: { directive: "x" }, timeoutSeconds: 300 },
    ]);
  });

  test("the same in XML, with its own words", async () => {
    put("a/bad", '```xml\n<directive name="other">\n  <model id="a/b"/>\n</directive>\n```\nx');
    expect(await found("a/bad")).toEqual([
      '2:1 warning W_NAME_IGNORED | the name of this directive is its path, a/bad | write name="bad"',
      "2:1 warning W_NO_DESCRIPTION | it has no description | add <description>What it does.</description>",
      '2:1 warning W_NO_SPEND_LIMIT | it has no spend limit of its own: the default holds, and a parent cannot start it as a child | add <limits max_spend="0.50" />',
      '2:1 warning W_NO_RIGHTS | it grants no rights: its model gets no tools | add <permissions><execute action="tool.*" /></permissions>',
    ]);
  });

  test("a key this machine lacks is not the directive's fault; an untrusted project is not asked", async () => {
    put("a", "---\ndescription: x\nmodel: scripted/x\npermissions: [execute.tool.raed]\n---\nx");
    expect(
      await found("a", () => {
        throw new Problem("E_UNTRUSTED", { what: "no" });
      }),
    ).toHaveLength(1);
    expect((await directivesOf(root, undefined).inspect("a")).problems).toEqual([]);
  });

  test("a broken file is part of the answer, an absent one is not", async () => {
    put("broken", "---\nmodel: a\nlimit: {}\n---\nx");
    put("folder/x", "");
    expect(await directivesOf(root, undefined).inspect("broken")).toEqual({
      name: "broken",
      path: ".ai/directives/broken.md",
      read: null,
      problems: [
        {
          path: ".ai/directives/broken.md",
          line: 3,
          column: 1,
          code: "E_DIRECTIVE_INVALID",
          severity: "error",
          message: 'unknown key "limit"; did you mean "limits"?',
          fix: "write limits",
        },
      ],
    });
    writeFileSync(join(root, ".ai/directives/binary.md"), Buffer.from([0xff]));
    expect(await found("binary")).toEqual(["1:1 error E_DIRECTIVE_INVALID | it is not UTF-8 text | "]);
    await expect(found("nothing")).rejects.toThrow(/There is no directive nothing/);
  });
});

describe("new", () => {
  const parsedFile = (name: string) => {
    const parsed = parseDirective(
      name,
      "x.md",
      readFileSync(join(root, `.ai/directives/${name}.md`), "utf8"),
    );
    if ("complaints" in parsed) throw new Error(JSON.stringify(parsed.complaints));
    return parsed;
  };

  test("both forms are the same valid directive, without a warning", async () => {
    expect(newDirective(root, "a/plan", { form: "yaml", scripted: false })).toEqual([
      ".ai/directives/a/plan.md",
    ]);
    newDirective(root, "b/plan", { form: "xml", scripted: false });
    const [native, xml] = [parsedFile("a/plan"), parsedFile("b/plan")];
    expect({ ...xml.directive, name: "" }).toStrictEqual({ ...native.directive, name: "" });
    expect([native.form, xml.form]).toEqual(["yaml", "xml"]);
    expect([...(await found("a/plan")), ...(await found("b/plan"))]).toEqual([]);
  });

  test("with its script when asked", () => {
    expect(newDirective(root, "plan", { form: "xml", scripted: true })).toEqual([
      ".ai/scripts/plan.yaml",
      ".ai/directives/plan.md",
    ]);
    expect(parsedFile("plan").directive.model).toBe("scripted/plan");
  });

  const codeOf = (act: () => unknown) => {
    try {
      act();
    } catch (cause) {
      if (cause instanceof Problem) return cause.code;
      throw cause;
    }
    return undefined;
  };

  test("nothing is written over, not even a link that leads nowhere, and nothing is left half done", async () => {
    put("mine", "mine");
    symlinkSync("/nonexistent", join(root, ".ai/directives/link.md"));
    for (const name of ["mine", "link"])
      expect(codeOf(() => newDirective(root, name, { form: "yaml", scripted: true }))).toBe("E_EXISTS");
    expect(readFileSync(join(root, ".ai/directives/mine.md"), "utf8")).toBe("mine");
    expect(() => readFileSync(join(root, ".ai/scripts/mine.yaml"))).toThrow();
    writeFileSync(join(root, ".ai/directives/file"), "");
    expect(() => newDirective(root, "file/below", { form: "yaml", scripted: true })).toThrow();
    expect(() => readFileSync(join(root, ".ai/scripts/file/below.yaml"))).toThrow();
  });

  test("a disk that is full in the middle of a file leaves no half of it", () => {
    const real = fs.writeFileSync;
    vi.spyOn(fs, "writeFileSync").mockImplementation((path, _, options) => {
      real(path, "---\nhal", options);
      throw Object.assign(new Error("ENOSPC: full, write"), { code: "ENOSPC", syscall: "write" });
    });
    syncBuiltinESMExports();
    expect(codeOf(() => newDirective(root, "half", { form: "yaml", scripted: false }))).toBe("E_DISK");
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(existsSync(join(root, ".ai/directives/half.md"))).toBe(false);
  });

  test("a folder that is a link out of the project is not followed", () => {
    const outside = mkdtempSync(join(tmpdir(), "selvage-outside-"));
    mkdirSync(join(root, ".ai"));
    symlinkSync(outside, join(root, ".ai/directives"));
    expect(codeOf(() => newDirective(root, "a/b", { form: "yaml", scripted: false }))).toBe("E_DISK");
    expect(() => readFileSync(join(outside, "a/b.md"))).toThrow();
    rmSync(outside, { recursive: true });
  });

  test.each(["", "../x", "/etc/x", "A", ".x", "-x", "a\nb", "a\u0000", "x".repeat(150)])(
    "the name %j is refused",
    (name) => {
      expect(codeOf(() => newDirective(root, name, { form: "yaml", scripted: false }))).toBe("E_BAD_ID");
    },
  );
});
