// The XML of the seeds as it stands there, inside a directive that is otherwise empty.
import { expect, test } from "vitest";
import { parseDirective } from "../../src/directive/parse.ts";

function directive(parts: string) {
  const text = `\`\`\`xml\n<directive name="seed" version="1.0.0"><metadata>\n<model id="scripted/seed" />\n${parts}\n</metadata></directive>\n\`\`\`\nDo it.\n`;
  const parsed = parseDirective("seed", "seed.md", text);
  if ("complaints" in parsed) throw new Error(JSON.stringify(parsed.complaints));
  return parsed.directive;
}

test("a hook for limits (000, three layers)", () => {
  const { hooks } = directive(`<hooks>
<hook event="limit" when="spend_exceeded">
  <directive>my_custom_escalation</directive>
</hook>
</hooks>`);
  expect(hooks).toEqual([
    { id: "limit-1", event: "limit", when: "spend_exceeded", inputs: {}, directive: "my_custom_escalation" },
  ]);
});

test("a hook for errors, and one for pressure (000, 003)", () => {
  const { hooks } = directive(`<hooks>
<hook event="error" when="error_category == 'rate_limited'">
  <directive>my_custom_backoff</directive>
</hook>
<hook event="context_window_pressure" when="pressure_ratio > 0.8">
  <directive>compaction_summarizer</directive>
</hook>
</hooks>`);
  expect(hooks).toMatchObject([
    { event: "error", when: "error_category == 'rate_limited'", directive: "my_custom_backoff" },
    { event: "context_window_pressure", when: "pressure_ratio > 0.8", directive: "compaction_summarizer" },
  ]);
});

test("hooks with inputs (003)", () => {
  const { hooks } = directive(`<hooks>
  <hook event="after_complete">
    <directive>cleanup_managed_processes</directive>
    <inputs>
      <thread_id>{thread_id}</thread_id>
    </inputs>
  </hook>
</hooks>`);
  expect(hooks).toEqual([
    {
      id: "after_complete-1",
      event: "after_complete",
      inputs: { thread_id: "{thread_id}" },
      directive: "cleanup_managed_processes",
    },
  ]);
});

test("the orchestrator's permissions (003)", () => {
  const { permissions } = directive(`<permissions>
  <!-- Existing -->
  <execute resource="rye" action="tool.*" />
  <execute resource="rye" action="search.*" />

  <!-- New -->
  <execute resource="rye" action="tool.managed_subprocess" />
  <execute resource="rye" action="tool.wait_threads" />
  <execute resource="rye" action="tool.thread_tool" />
</permissions>`);
  expect(permissions).toEqual([
    "selvage.execute.tool.*",
    "selvage.search.*",
    "selvage.execute.tool.managed_subprocess",
    "selvage.execute.tool.wait_threads",
    "selvage.execute.tool.thread_tool",
  ]);
});

test("limits by the names of the seeds (000, 003, 004)", () => {
  expect(directive('<limits max_spend="3.00" max_turns="30" max_tokens="200000" />').limits).toEqual({
    spend: "3.00",
    turns: 30,
    tokens: 200000,
  });
  expect(directive('<limits retry_max="2" backoff_base="1.5" />').limits).toEqual({
    retry_max: 2,
    backoff_base: 1.5,
  });
});
