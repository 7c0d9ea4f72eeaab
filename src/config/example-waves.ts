/** `selvage init --template waves`: a tree of agents that works in three waves under one budget, scripted, without a key. */
import type { ExampleFile } from "./example.ts";

interface Part {
  readonly name: string;
  readonly does: string;
  readonly path: string;
  readonly content: string;
}

const PARTS: readonly Part[] = [
  {
    name: "plan_db_schema",
    does: "Plans the tables",
    path: "plan/schema.md",
    content: "tasks(id, title, done)",
  },
  {
    name: "plan_api_routes",
    does: "Plans the routes",
    path: "plan/routes.md",
    content: "GET /tasks, POST /tasks",
  },
  { name: "plan_react_ui", does: "Plans the screens", path: "plan/ui.md", content: "a list and a form" },
  {
    name: "plan_integration",
    does: "Puts the plans together",
    path: "plan/README.md",
    content: "schema, routes, ui",
  },
];

export function wavesFiles(): ExampleFile[] {
  return [
    { path: ".ai/directives/build_crud_app.md", text: ROOT },
    { path: ".ai/scripts/build_crud_app.yaml", text: ROOT_SCRIPT },
    ...PARTS.flatMap(partFiles),
    { path: ".ai/config/hooks.yaml", text: HOOKS },
    { path: ".ai/config/models.yaml", text: MODELS },
  ];
}

const ROOT = `---
description: Plans a small app in three waves, with four children and one budget
model: { id: scripted/build_crud_app }
limits: { turns: 30, spend: "3.00", spawns: 10, duration: 1800 }
permissions: [execute.tool.thread_tool, execute.tool.wait_threads, execute.directive.plan_*, execute.tool.write]
inputs:
  name: { type: string, required: false, description: What the app is called }
---
Plan {input:name:task-manager}. First the schema and the routes, both at once; then the screens; then put the plans together.
`;

const ROOT_SCRIPT = `# Wave 1: two children at once. {thread_id:1} stands for the first id that a tool has told of.
- says: Wave 1, the schema and the routes.
  calls:
    - { tool: thread_tool, input: { directive: plan_db_schema } }
    - { tool: thread_tool, input: { directive: plan_api_routes } }
- says: I wait for both. Waiting costs nothing.
  calls: [{ tool: wait_threads, input: { thread_ids: ["{thread_id:1}", "{thread_id:2}"] } }]
- says: Wave 2, the screens.
  calls: [{ tool: thread_tool, input: { directive: plan_react_ui, wait: true } }]
- says: Wave 3, all of it together.
  calls: [{ tool: thread_tool, input: { directive: plan_integration, wait: true } }]
- says: Planned in three waves; the plan is in plan/README.md.
`;

function partFiles({ name, does, path, content }: Part): ExampleFile[] {
  return [
    {
      path: `.ai/directives/${name}.md`,
      text: `---
description: ${does}
model: { id: scripted/${name} }
limits: { turns: 10, spend: "0.60" }
permissions: [execute.tool.write]
---
${does} and write them to ${path}.
`,
    },
    {
      path: `.ai/scripts/${name}.yaml`,
      text: `- calls: [{ tool: write, input: { path: ${path}, content: ${JSON.stringify(`${content}\n`)} } }]
- says: It is in ${path}.
`,
    },
  ];
}

const HOOKS = `# Asked first, at named moments; the answer is JSON on stdout. A hook may narrow or ask, never lift a limit.
# selvage hooks test before_tool says which would run; docs/hooks.md has all moments and facts.
#
# hooks:
#   - { id: pushes, event: before_tool, when: "tool == 'bash' && input.command.contains('git push')", command: ./may-push.sh }
#   - { id: dear, event: limit, when: spend_exceeded, command: ./notify.sh }
#   - { id: broken, event: error, when: "error_category == 'permanent'", command: ./notify.sh }
#   - { id: full, event: context_window_pressure, command: ./notify.sh }
#   - { id: done, event: after_complete, command: ./notify.sh }
`;

const MODELS = `# What models cost and hold, over the catalogue: selvage models ls shows what is known here.
#
# models:
#   local/*: { input: 0, output: 0, window: 32000 }
# tiers: { fast: local/qwen3 }
`;
