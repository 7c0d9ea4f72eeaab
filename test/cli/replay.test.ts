// `replay`: a recorded thread is run again against its journal; nothing is executed, and what differs is found.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directive, Place, scripted, until } from "./cli.ts";

const DOUBLE = `import { writeFileSync } from "node:fs";
import { defineTool } from "selvage";
writeFileSync("loaded.txt", "the module was loaded");
export default defineTool({
  name: "double",
  description: "Doubles a number.",
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  effect: "pure",
  run: async ({ n }) => String(n * 2),
});
`;

const WORK = `- { says: first, calls: [{ tool: ls, input: {} }, { tool: double, input: { n: 4 } }, { tool: double, input: {} }] }
- fails: { status: 503, message: overloaded }
- { says: second, calls: [{ tool: bash, input: { command: "echo made > made.txt" } }] }
- says: third
`;

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...scripted("work", WORK),
    ".ai/tools/double.ts": DOUBLE,
    ".ai/config/resilience.yaml": "retry: { base_delay_ms: 20 }\n",
    ".ai/config/hooks.yaml": `hooks:
  - { id: note, event: after_step, when: "turn == 1", command: "echo run >> hooked.txt; echo '{\\"action\\": \\"continue\\", \\"context\\": {\\"message\\": \\"mind the tone\\"}}'" }
`,
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const at = (name: string) => join(place.root, name);

test("a thread replays, and no tool, hook or module is run for it", async () => {
  await place.run(["run", "work"]);
  expect(readFileSync(at("hooked.txt"), "utf8")).toBe("run\n");
  for (const name of ["made.txt", "hooked.txt", "loaded.txt"]) rmSync(at(name));
  const before = readFileSync(at(".ai/threads/registry.db"));
  const { exit, kind, data } = await place.json("replay", "@last");
  expect({ exit, kind, divergences: data.divergences }).toEqual({ exit: 0, kind: "replay", divergences: [] });
  expect(data.events).toBe(data.total);
  expect(await place.ok("replay", "@last")).toBe(`replays: ${data.total} events, identical\n`);
  for (const name of ["made.txt", "hooked.txt", "loaded.txt"]) expect(existsSync(at(name)), name).toBe(false);
  expect(readFileSync(at(".ai/threads/registry.db"))).toEqual(before);
});

test("a call by execute of a module tool replays, also one that was refused for its input", async () => {
  const execute = (parameters: string) =>
    `{ tool: execute, input: { item_type: tool, item_id: double, parameters: ${parameters} } }`;
  place.write({
    ...directive("verbs", "permissions: [execute.tool.execute, execute.tool.double]\n"),
    ".ai/scripts/verbs.yaml": `- { says: go, calls: [${execute("{ n: 4 }")}, ${execute("{}")}] }\n- says: back\n`,
    ".ai/tools/double.ts": DOUBLE.replace('effect: "pure"', 'effect: "keyed"'),
  });
  await place.ok("trust", "--yes");
  await place.run(["run", "verbs"]);
  const { data } = await place.json("logs", "@last");
  const results = data.events.filter(({ type }: { type: string }) => type === "tool_call_result");
  expect(results.map(({ status }: { status: string }) => status).toSorted()).toEqual(["error", "ok"]);
  expect(await place.json("replay", "@last")).toMatchObject({ exit: 0, data: { divergences: [] } });
});

test("a thread whose owner was killed replays with its recovery", async () => {
  place.write({
    ...scripted(
      "slow",
      '- { says: go, calls: [{ tool: bash, input: { command: "sleep 30" } }] }\n- says: back\n',
    ),
  });
  const { child, ended } = place.start(["run", "slow"]);
  await until(async () => (await place.json("ps")).data.threads[0]?.now.tool === "bash");
  child.kill("SIGKILL");
  await ended;
  expect((await place.json("recover", "--all")).exit).toBe(0);
  expect((await place.json("show", "@last")).data.recoveries).toBe(1);
  expect(await place.json("replay", "@last")).toMatchObject({ exit: 0, data: { divergences: [] } });
});

test("a rule that changed since is found at the event that it changes", async () => {
  const { data } = await place.json("run", "work");
  place.write({
    ".ai/config/error_classification.yaml":
      "rules:\n  - { id: over, match: { status: 503 }, category: permanent }\n",
  });
  const replayed = await place.json("replay", data.thread_id);
  expect(replayed).toMatchObject({
    exit: 1,
    data: {
      parted: true,
      divergences: [
        {
          recorded: { type: "error_classified", category: "transient" },
          now: { type: "error_classified", category: "permanent", rule: "over" },
        },
      ],
    },
  });
  const [{ seq, recorded }] = replayed.data.divergences;
  expect(seq).toBe(recorded.seq);
  const { code, stdout } = await place.run(["replay", data.thread_id]);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /seq \d+: error_classified would say something else\n {2}category\n {4}recorded {2}"transient"/,
  );
});

test("a policy is tried out: what would differ is told, and where the paths part", async () => {
  await place.json("run", "work");
  const tried = async (text: string) => {
    place.write({ "tried.yaml": text });
    const { exit, data } = await place.json("replay", "@last", "--policy", "tried.yaml");
    const told = data.divergences.map(
      (each: { recorded: { type: string }; now: { type: string } | null; instead: string | null }) =>
        [each.recorded.type, each.now?.type ?? each.instead].join(" → "),
    );
    return { exit, told, parted: data.parted };
  };
  expect(await tried("retry: { max_delay_ms: 60000 }\n")).toEqual({ exit: 0, told: [], parted: false });
  expect(await tried("retry: { base_delay_ms: 30 }\n")).toEqual({
    exit: 1,
    told: ["auto_retry_start → auto_retry_start"],
    parted: false,
  });
  expect(await tried("limits: { defaults: { turns: 2 } }\n")).toEqual({
    exit: 1,
    told: ["step_start → thread_suspended"],
    parted: true,
  });
  expect(await tried("rules:\n  - { id: over, match: { status: 503 }, category: permanent }\n")).toEqual({
    exit: 1,
    told: ["error_classified → error_classified", "auto_retry_start → thread_failed"],
    parted: true,
  });
  const guard = '  - { id: guard, event: before_tool, when: "tool == \\"bash\\"", command: "false" }\n';
  expect(await tried(`hooks:\n${guard}`)).toEqual({
    exit: 1,
    told: [expect.stringContaining("this call of bash would not start yet")],
    parted: true,
  });
  expect(await place.json("replay", "@last", "--policy", "nope.yaml")).toMatchObject({ exit: 2 });
  place.write({ "tried.yaml": "retry: { max_retrys: 3 }\n" });
  expect(await place.json("replay", "@last", "--policy", "tried.yaml")).toMatchObject({
    exit: 7,
    error: { code: "E_CONFIG_INVALID" },
  });
});
