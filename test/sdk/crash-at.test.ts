/** Death at every named point, of real processes: the thread comes back and ends as if nothing had been (UX (i) 6). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CRASH_POINTS, type CrashPoint, crashAt } from "../../src/testing.ts";
import { ProgramFolder } from "./programs.ts";

/** Retries, two tools, a child that is waited for, a question, and a conversation that is handed on. */
const PROGRAM = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { defineTool, open, scripted } from "selvage";
import { expectLedgerBalanced } from "selvage/testing";

const tool = (name, effect) => defineTool({
  name, effect, description: name, input: { type: "object" },
  run: (_, { callKey }) => { appendFileSync("runs.log", name + " " + callKey + "\\n"); return name + " done"; },
});
const [fetch, send] = [tool("fetch", "pure"), tool("send", "manual")];
const script = scripted([
  [fetch({}), { tool: "thread_tool", input: { directive: "below", limits: { spend: "0.05" }, wait: true } }],
  { fails: { status: 503 } },
  [send({})],
  "Done.",
]);
const rt = await open(".", { tools: [fetch, send], trust: true });
rt.onApproval((question) => question.approve());
const ask = {
  prompt: "Hi", name: "story", tools: [fetch, send], model: script, limits: { turns: 2, spend: 0.5 },
  permissions: ["execute.tool.thread_tool", "execute.directive.below"],
};
// Which thread it is, is noted as a program would: before it is there nobody asks for it.
const known = existsSync("id") ? readFileSync("id", "utf8") : undefined;
const another = await rt.start(known ? { prompt: "Hi", model: script, tools: [fetch, send], limits: { turns: 1 } } : ask);
const thread = known ? await rt.thread(known) : another;
writeFileSync("id", thread.id);
const result = await thread.result();
await expectLedgerBalanced(rt);
process.stdout.write(result.status + " " + (result.text ?? "") + "\\n");
await rt.close();
`;

const FILES = {
  ".ai/directives/below.md":
    '---\ndescription: below\nmodel: { id: scripted/below }\nlimits: { spend: "0.05" }\npermissions: []\n---\nDo it.\n',
  ".ai/scripts/below.yaml": "- says: Below.\n",
  ".ai/config/resilience.yaml": "retry: { base_delay_ms: 20 }\n",
};

function place() {
  const made = new ProgramFolder(FILES);
  const program = join(made.home, "program.mjs");
  writeFileSync(program, PROGRAM);
  const env = { ...made.env, SELVAGE_THREAD: "" } as Record<string, string>;
  return { made, program, how: { cwd: made.folder, env } };
}

const POINTS: readonly CrashPoint[] = [
  "before_model",
  "turn:1:after_model",
  "before_tool",
  "turn:2:after_tool",
  "in_backoff",
  "in_wait",
  "in_suspend",
];

test.each(POINTS)(
  "at %s",
  async (point) => {
    const { made, program, how } = place();
    const end = await crashAt(point, program, how);
    expect(end).toMatchObject({ code: 0, output: "completed Done.\n" });
    // Cut off while it ran, its outcome is unknown, and it is not run again.
    const sent = made.read("runs.log").match(/^send .*$/gm) ?? [];
    expect(new Set(sent).size).toBe(sent.length);
    expect((await made.json("verify")).data.findings).toEqual([]);
  },
  60_000,
);

test("at initial_save the thread is there, and nobody has been told of it", async () => {
  const { made, program, how } = place();
  expect(await crashAt("initial_save", program, how)).toMatchObject({ code: 0, output: "completed Done.\n" });
  const { data } = await made.json("ps", "-a");
  expect(data.threads.filter(({ directive }: { directive: string }) => directive === "story")).toHaveLength(
    2,
  );
}, 60_000);

test("a program that does not come to the point is told apart from one that was killed", async () => {
  const { program, how } = place();
  await expect(crashAt("in_hand_off", program, how)).rejects.toThrow("did not come to in_hand_off");
  await expect(crashAt("nowhere" as CrashPoint, program, how)).rejects.toThrow("is no crash point");
  expect(Object.keys(CRASH_POINTS)).toHaveLength(9);
}, 60_000);
