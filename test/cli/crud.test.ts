// A whole day of an orchestrator, as the seed documents tell it: a scaffold, two waves, a development server with a
// third wave, and a summary; with its figures of money.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place } from "./cli.ts";

const place = new Place();
beforeAll(async () => {
  await place.ok("init");
  place.write(project());
  await place.ok("trust", "--yes");
});
afterAll(() => place.remove());

/** At 2 and 10 dollars a million, 1,000 tokens of an answer are a cent. */
const usage = (dollars: number) => `usage: { output: ${Math.round(dollars * 100_000)} }`;

const child = (name: string, cap: string, dollars: number) => ({
  [`.ai/directives/${name}.md`]: `---
description: ${name}
model: { id: scripted/${name} }
permissions: [execute.tool.write]
limits: { spend: "${cap}" }
outputs: { summary: { type: string } }
---
Do your part.
`,
  [`.ai/scripts/${name}.yaml`]: `- calls:
    - { tool: write, input: { path: ${name}.md, content: "plan of ${name}" } }
    - { tool: directive_return, input: { summary: "${name} is done" } }
  ${usage(dollars)}
`,
});

const start = (name: string, more = "") =>
  `    - { tool: thread_tool, input: { directive: ${name}${more} } }\n`;
const wait = (...places: number[]) =>
  `    - { tool: wait_threads, input: { thread_ids: [${places.map((at) => `"{thread_id:${at}}"`).join(", ")}] } }\n`;

function project(): Record<string, string> {
  return {
    ".ai/config/models.yaml": "models:\n  scripted/*: { input: 2, output: 10 }\n",
    ".ai/config/resilience.yaml": "model: { max_output_tokens: 62000 }\n",
    ...child("scaffold_project", "0.20", 0.08),
    ...child("plan_db_schema", "0.80", 0.45),
    ...child("plan_api_routes", "0.80", 0.52),
    ...child("plan_react_ui", "0.80", 0.61),
    ...child("plan_integration", "0.80", 0.31),
    ".ai/directives/build_crud_app.md": `---
description: Plans and builds a small app in waves
model: { id: scripted/build_crud_app }
permissions: [execute.tool.*, execute.directive.scaffold_project, execute.directive.plan_*]
limits: { spend: "3.00" }
---
Build it.
`,
    ".ai/scripts/build_crud_app.yaml": `- says: First the scaffold.
  calls:
${start("scaffold_project", ", wait: true")}  ${usage(0.03)}
- says: Wave 1.
  calls:
${start("plan_db_schema")}${start("plan_api_routes")}  ${usage(0.03)}
- says: I wait for both.
  calls:
${wait(1, 2)}  ${usage(0.03)}
- says: Wave 2.
  calls:
${start("plan_react_ui", ", wait: true")}  ${usage(0.03)}
- says: Wave 3, with a server.
  calls:
    - tool: managed_subprocess
      input: { action: start, command: bash, args: [-c, "echo ready on port 5173; exec sleep 1000"], ready_pattern: "ready on port \\\\d+" }
${start("plan_integration", ", wait: true")}  ${usage(0.03)}
- says: The server is not needed any more.
  calls:
    - { tool: managed_subprocess, input: { action: stop, handle_id: "{handle_id:1}" } }
  ${usage(0.01)}
- says: All planned.
  ${usage(0.01)}
`,
  };
}

test("three waves, a server and their money", async () => {
  const { data, exit } = await place.json("run", "build_crud_app");
  expect([exit, data.status, data.result.text]).toEqual([0, "completed", "All planned."]);
  const { data: cost } = await place.json("cost", data.thread_id);
  const own = Object.fromEntries(
    cost.rows.map(({ key, own: spent }: { key: string; own: string }) => [
      key.replace(/-\d+-\w+$/, ""),
      Number(spent),
    ]),
  );
  expect(own).toEqual({
    build_crud_app: 0.17,
    scaffold_project: 0.08,
    plan_db_schema: 0.45,
    plan_api_routes: 0.52,
    plan_react_ui: 0.61,
    plan_integration: 0.31,
  });
  expect(Number(cost.total.own ?? cost.total)).toBe(2.14);
  const { data: verified } = await place.json("verify");
  expect(verified.findings).toEqual([]);
});
