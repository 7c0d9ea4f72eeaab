/** The files of a new project: a directive that runs without any key, its script, and the settings to look at. */
import { type SettingLine, settingLines } from "../core/settings.ts";
import { wavesFiles } from "./example-waves.ts";
import { SETTINGS_FILES } from "./settings-file.ts";

export interface ExampleFile {
  readonly path: string;
  readonly text: string;
}

export type Template = "minimal" | "waves";

export function exampleFiles(template: Template): ExampleFile[] {
  return [
    { path: ".ai/directives/hello.md", text: HELLO_DIRECTIVE },
    { path: ".ai/scripts/hello.yaml", text: HELLO_SCRIPT },
    { path: ".ai/config/resilience.yaml", text: resilience() },
    ...(template === "waves" ? wavesFiles() : []),
  ];
}

const HELLO_DIRECTIVE = `---
description: Says hello with two tools
model: { id: scripted/hello }
permissions: [execute.tool.write, execute.tool.bash]
inputs:
  name: { type: string, required: false, description: Who is greeted }
---
Greet {input:name:World}: write a greeting into hello.txt, read it back with bash, and say what happened.
`;

const HELLO_SCRIPT = `# What the model scripted/hello answers, step by step. It costs nothing, needs no key, and says the same every
# time: it does not read the prompt. A step says, calls, streams, fails or hangs.
- says: I write a greeting first.
  calls:
    - tool: write
      input: { path: hello.txt, content: "Hello from Selvage!\\n" }
- says: Now I read it back.
  calls:
    - tool: bash
      input: { command: cat hello.txt }
- says: Hello! hello.txt holds the greeting, and both tool calls are in the journal. Your first thread is done.
`;

const HEAD = `# Each line shows the default. Remove its # to change it. What costs money (limits, approvals, recovery, loops) can
# only be made stricter here than in your own settings: selvage config show --origin`;

/** Every setting of the file with its default, commented out, from the one place that declares them. */
function resilience(): string {
  const keys: readonly string[] = SETTINGS_FILES["resilience.yaml"];
  const lines = settingLines().filter(({ key }) => keys.includes(sectionOf(key)));
  const sections = [...new Set(lines.map(({ key }) => sectionOf(key)))];
  const parts = sections.map((section) =>
    written(lines.filter(({ key }) => sectionOf(key) === section)).join("\n"),
  );
  return [HEAD, ...parts].join("\n\n").concat("\n");
}

/**
 * With a heading, not commented out, wherever one begins. What stands directly in a section comes first: a comment
 * after a heading would belong to that heading, also for `config set`.
 */
function written(lines: readonly SettingLine[]): string[] {
  const depthOf = ({ key }: SettingLine) => key.split(".").length;
  const ordered = [...lines].sort((left, right) => depthOf(left) - depthOf(right));
  let above: readonly string[] = [];
  return ordered.flatMap(({ key, fallback, meaning }) => {
    const path = key.split(".");
    const name = path.pop() ?? key;
    const headings = path.flatMap((part, depth) =>
      part === above[depth] ? [] : [`${"  ".repeat(depth)}${part}:`],
    );
    above = path;
    const indent = "  ".repeat(path.length);
    return [...headings, `${indent}# ${meaning}`, `${indent}# ${name}: ${yamlValue(fallback)}`];
  });
}

/** Words as they are; amounts in quotes, or YAML would make numbers of them. */
function yamlValue(value: unknown): string {
  return typeof value === "string" && /^[a-z]+$/.test(value) ? value : JSON.stringify(value);
}

function sectionOf(key: string): string {
  return key.split(".")[0] ?? key;
}
