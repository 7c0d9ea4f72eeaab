/** The types of the package, as a strict compiler sees them from outside. */
import { expect, test } from "vitest";
import { ProgramFolder } from "./programs.ts";

const HEAD = `
import { defineTool, open, scripted, SelvageError } from "selvage";
import type { Event, LiveEvent, Question, Result, Selvage, ThreadHandle, Tool } from "selvage";
import { z } from "zod";
import * as mini from "zod/mini";
export type Used = Event | LiveEvent | Question | Selvage | ThreadHandle | Tool;
const weather = defineTool({
  name: "weather", description: "x", input: z.object({ city: z.string(), days: z.number().default(1) }),
  run: ({ city, days }, { progress, signal, callKey }) => {
    progress("asking"); progress(0.5); progress(0.5, city.toUpperCase());
    return { key: callKey, days: days.toFixed(), stopped: signal.aborted };
  },
});
`;

const GOOD = `${HEAD}
export function shown(result: Result): string {
  switch (result.status) {
    case "completed": return result.text;
    case "suspended": return result.approval?.prompt ?? result.reason;
    case "cancelled": return result.reason + result.partial;
    case "error": return result.error.message;
  }
}
const small = defineTool({ name: "small", description: "x", input: mini.object({ n: mini.number() }), run: ({ n }) => n.toFixed() });
const plain = defineTool<{ path: string }>({ name: "plain", description: "x", input: { type: "object" }, run: ({ path }) => path.length });
scripted(["x", weather({ city: "Oslo" }), [small({ n: 1 }), plain({ path: "x" })], { fails: { status: 429 } }]);
export async function main(): Promise<void> {
  await using rt = await open(".", { tools: [weather, small, plain], recover: "off", trust: true });
  const stop = rt.onApproval((ap) => ap.limit_code === "spend_exceeded" && Number(ap.proposed_max) <= 1 ? ap.approve() : ap.leave());
  const thread = await rt.start({ directive: "build", inputs: { n: 1 }, limits: { spend: "0.80" }, model: "fast" });
  for await (const event of thread.events({ from: 3 })) {
    if (event.type === "tool_call_progress") console.log(event.message, event.progress?.toFixed(1));
    if (event.type === "cognition_out") console.log(event.turn, event.seq);
  }
  const { results, failed } = await rt.wait([thread], { failFast: true, cancelSiblings: true, timeout: 600 });
  console.log(failed, results[thread.id]?.cost.spend, rt.leftBehind[0]?.tools);
  stop();
  try { await thread.result({ timeout: 1 }); } catch (error) {
    if (error instanceof SelvageError) console.log(error.code, error.what, error.why, error.next[0]?.cmd);
  }
}
`;

test("what is promised compiles; what is wrong does not", () => {
  const place = new ProgramFolder();
  expect(place.compile("good", GOOD)).toBe("");
  const wrong: readonly (readonly [string, string])[] = [
    ["an input that is missing", "weather({});"],
    ["an input of another type", "weather({ city: 1 });"],
    ["a status that there is not", 'export const f = (r: Result) => r.status === "done";'],
    ["a text of one that failed", 'export const f = (r: Result) => r.status === "error" && r.text;'],
    ["neither prompt nor directive", 'await (await open()).start({ model: "fast" });'],
    [
      "a field of the input that it has not",
      'defineTool({ name: "x", description: "x", input: z.object({ a: z.string() }), run: ({ b }) => b });',
    ],
    [
      "an effect that there is not",
      'defineTool({ name: "x", description: "x", input: {}, effect: "safe", run: () => 1 });',
    ],
    [
      "a case that is left out",
      'export function f(r: Result): string { switch (r.status) { case "completed": return ""; case "error": return ""; case "cancelled": return ""; } }',
    ],
  ];
  const text = wrong.map(([name, code], index) => `// ${index} ${name}\n${code}`).join("\n");
  const complaints = place.compile("wrong", `${HEAD}\n${text}`);
  const first = HEAD.split("\n").length + 1;
  const lines = new Set([...complaints.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line)));
  expect([...lines]).toEqual(wrong.map((_, index) => first + index * 2 + 1));
});
