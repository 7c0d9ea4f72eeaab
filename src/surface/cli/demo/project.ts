/** The project of the demo: an app that is built in three waves, by scripted models whose answers have prices. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROGRAMS } from "./programs.ts";

export const ROOT_DIRECTIVE = "build_crud_app";
/** Every effect that took place, one line each; only ever appended to. */
export const EFFECTS = "effects.log";
/** While this file is there and fresh, the tool that writes the file named in it does not get on. */
export const SLOW = "slow-disk";
/** What is being written when the kill comes. */
export const CUT_OFF = "src/App.tsx";

export interface Pace {
  /** How long an answer takes to come. */
  readonly answerMs: number;
  /** The first wait after a failed request. */
  readonly retryMs: number;
}

interface ChildPlan {
  readonly cap: string;
  readonly rights: readonly string[];
  readonly steps: readonly object[];
}

const WRITES = ["execute.tool.write_file"];
/** At 10 dollars a million, 1,000 tokens of an answer are a cent. */
const PRICE = { input: 2, output: 10 };
const CENT = 1_000;
/** Somebody may take a long time to press a key while a tool runs. */
const PATIENCE_S = 3_600;

export function writeDemoProject(root: string, pace: Pace): void {
  for (const [path, text] of Object.entries(filesOf(pace))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** JSON is YAML too, and needs no quoting of ours. */
function filesOf(pace: Pace): Record<string, string> {
  const models = { "scripted/*": PRICE, [`scripted/${ROOT_DIRECTIVE}`]: { ...PRICE, max_output: 4 * CENT } };
  const settings = {
    retry: { base_delay_ms: pace.retryMs },
    model: { max_output_tokens: 30 * CENT },
    tool: { timeout_seconds: PATIENCE_S },
  };
  return {
    ".ai/config/models.yaml": json({ models }),
    ".ai/config/resilience.yaml": json(settings),
    ".ai/tools/write_file.yaml": json(WRITE_FILE),
    ".ai/tools/check_app.yaml": json(CHECK_APP),
    ...PROGRAMS,
    [`.ai/directives/${ROOT_DIRECTIVE}.md`]: directive(ROOT_DIRECTIVE, {
      description: "Plans and builds a small app in three waves",
      permissions: ["execute.tool.*", "execute.directive.*", "execute.process.network"],
      limits: { spend: "3.00" },
    }),
    [`.ai/scripts/${ROOT_DIRECTIVE}.yaml`]: json(rootSteps(pace)),
    ...Object.assign({}, ...Object.entries(children(pace)).map(([name, plan]) => childFiles(name, plan))),
  };
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const WRITE_FILE = {
  description: "Writes a file of the app. The same call twice writes once.",
  command: [process.execPath, "programs/write-file.mjs"],
  effect: "keyed",
  input: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
  },
};

const CHECK_APP = {
  description: "Asks the development server for a page.",
  command: [process.execPath, "programs/check-app.mjs"],
  effect: "pure",
};

function directive(name: string, head: object): string {
  return `---\n${json({ ...head, model: { id: `scripted/${name}` } })}---\nDo your part of the app: ${name}.\n`;
}

function childFiles(name: string, { cap, rights, steps }: ChildPlan): Record<string, string> {
  const head = {
    description: `A part of the app: ${name}`,
    permissions: rights,
    limits: { spend: cap },
    outputs: { summary: { type: "string" } },
  };
  return {
    [`.ai/directives/${name}.md`]: directive(name, head),
    [`.ai/scripts/${name}.yaml`]: json(steps),
  };
}

interface Call {
  readonly tool: string;
  readonly input: object;
}

/** One answer: it comes after a while, asks for calls, and costs so many cents. */
function answer(pace: Pace, cents: number, says: string, ...calls: Call[]): object {
  const streams = { chunks: [says], ...(pace.answerMs > 0 ? { every_ms: pace.answerMs } : {}) };
  return { streams, ...(calls.length > 0 ? { calls } : {}), usage: { output: cents * CENT } };
}

const write = (path: string): Call => ({ tool: "write_file", input: { path, content: `${path}\n` } });
const done = (summary: string): Call => ({ tool: "directive_return", input: { summary } });

function children(pace: Pace): Record<string, ChildPlan> {
  const says = (cents: number, text: string, ...calls: Call[]) => answer(pace, cents, text, ...calls);
  const busy = { fails: { status: 503, message: "overloaded" } };
  return {
    scaffold_project: {
      cap: "0.20",
      rights: WRITES,
      steps: [says(8, "The scaffold.", write("package.json"), done("scaffolded"))],
    },
    plan_db_schema: {
      cap: "0.80",
      rights: WRITES,
      steps: [
        says(20, "Tables first.", write("db/schema.sql")),
        says(25, "And why.", write("docs/schema.md"), done("schema planned")),
      ],
    },
    plan_api_routes: {
      cap: "0.80",
      rights: WRITES,
      steps: [
        busy,
        says(24, "Routes.", write("api/routes.ts")),
        says(28, "And their errors.", write("docs/routes.md"), done("routes planned")),
      ],
    },
    plan_react_ui: {
      cap: "0.80",
      rights: WRITES,
      steps: [
        says(28, "A sketch.", write("docs/ui.md")),
        says(28, "The frame.", write(CUT_OFF)),
        says(23, "The list.", write("src/TaskList.tsx")),
        says(18, "The form.", write("src/TaskForm.tsx"), done("screens planned")),
      ],
    },
    plan_integration: {
      cap: "0.80",
      rights: [...WRITES, "execute.tool.check_app", "execute.process.network"],
      steps: [
        says(19, "Does it answer?", { tool: "check_app", input: {} }),
        says(20, "It does.", write("docs/integration.md"), done("it answers")),
      ],
    },
  };
}

const start = (name: string, more: object = {}): Call => ({
  tool: "thread_tool",
  input: { directive: name, ...more },
});
const awaited = (...places: number[]): Call => ({
  tool: "wait_threads",
  // Without a time of its own: while somebody thinks about a question, nothing keeps the process that hosts the tree.
  input: { thread_ids: places.map((place) => `{thread_id:${place}}`), timeout: 0 },
});

function rootSteps(pace: Pace): object[] {
  const says = (cents: number, text: string, ...calls: Call[]) => answer(pace, cents, text, ...calls);
  const server = {
    action: "start",
    command: process.execPath,
    args: ["programs/dev-server.mjs"],
    ready_pattern: "ready on port \\d+",
  };
  return [
    says(2, "First the scaffold.", start("scaffold_project", { wait: true })),
    says(2, "Wave 1.", start("plan_db_schema"), start("plan_api_routes")),
    says(2, "I wait for both.", awaited(1, 2)),
    says(2, "Wave 2.", start("plan_react_ui")),
    says(2, "I wait for it.", awaited(3)),
    says(1, "A server for what comes now.", { tool: "managed_subprocess", input: server }),
    says(2, "Wave 3.", start("plan_integration")),
    says(2, "I wait for it.", awaited(4)),
    says(1, "The server is not needed any more.", {
      tool: "managed_subprocess",
      input: { action: "stop", handle_id: "{handle_id:1}" },
    }),
    says(1, "All planned."),
  ];
}
