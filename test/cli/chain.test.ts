// Long lives from the command line: a conversation that is handed on, gone on with, and made shorter by hand.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, QUICK_RETRIES, scripted, until } from "./cli.ts";

const LONG = `- says: one
  calls: [{ tool: bash, input: { command: "echo one" } }]
  usage: { input: 3000, output: 20 }
- says: two
  calls: [{ tool: bash, input: { command: "echo two" } }]
  usage: { input: 9300, output: 20 }
- says: three
  usage: { input: 900, output: 20 }
- says: you are welcome
  usage: { input: 950, output: 20 }
`;
const NOTES = `- says: "## Completed Work\\nOne and two were echoed."
  usage: { input: 300, output: 20 }
`;

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...QUICK_RETRIES,
    ...scripted("long", LONG),
    ".ai/scripts/notes.yaml": NOTES,
    ".ai/config/models.yaml": "models:\n  scripted/long: { window: 10000 }\n",
    ".ai/config/coordination.yaml":
      'continuation: { summary_model: scripted/notes, summary_limit_overrides: { spend: "0.50" } }\n',
  });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  place.remove();
});

test("a full conversation is handed on, told, shown, verified; a person goes on with it after its end", async () => {
  const run = await place.run(["run", "long"]);
  expect(run).toMatchObject({ code: 0, stdout: "three\n" });
  expect(run.stderr).toContain("the conversation is full: about 9,3");
  expect(run.stderr).toMatch(/continued +in long-/);
  const chain = await place.json("chain", "@last", "--summaries");
  expect(chain).toMatchObject({
    exit: 0,
    kind: "chain",
    data: {
      threads: [
        { position: 1, status: "continued", why: "context", trailing_messages: 4, summary: null },
        {
          position: 2,
          status: "completed",
          why: null,
          summary: expect.stringContaining("One and two were echoed"),
        },
      ],
      turns: 3,
    },
  });
  const [first, second] = chain.data.threads.map((each: { thread_id: string }) => each.thread_id);
  expect(chain.data.threads[0].pressure).toBeCloseTo(0.93, 1);
  const { hits } = (await place.json("search", "echo", "--chain", second)).data;
  expect(new Set(hits.map(({ thread_id }: { thread_id: string }) => thread_id))).toEqual(new Set([first]));
  expect(new Set(hits.map((hit: { chain_position: number }) => hit.chain_position))).toEqual(new Set([1]));
  expect((await place.json("search", "three", "--chain", first)).data.hits[0]).toMatchObject({
    ...{ thread_id: second, chain_position: 2 },
  });
  // What is asked of the first thread is asked of the chain.
  const bare = await place.json("resume", first);
  expect(bare).toMatchObject({ exit: 2, error: { code: "E_USAGE", what: expect.stringContaining(second) } });
  const resumed = await place.run(["resume", first, "-m", "thank you"]);
  expect(resumed).toMatchObject({ code: 0, stdout: "you are welcome\n" });
  expect(resumed.stderr).toContain(`${second} had ended (completed); it goes on in long-`);
  const human = await place.run(["chain", first]);
  expect(human.stdout).toContain("93 % of context at turn 2");
  expect(human.stdout).toMatch(/resumed by .*: "thank you"/);
  expect((await place.json("show", first)).data).toMatchObject({
    status: "continued",
    view: "continued",
    chain: { position: 1, length: 3, continuation_thread_id: second },
  });
  // The account of the chain, and what `cost` finds in its journals, are the same to the last unit.
  const cost = await place.json("cost", first);
  const shown = (await place.json("show", "@last")).data;
  expect(cost.data.total.own).toBe((await place.json("chain", first)).data.spend);
  expect(shown.cost.turns).toBe(4);
  expect((await place.json("wait", first)).data).toMatchObject({
    success: true,
    threads: { [first]: { status: "completed", result: "you are welcome" } },
  });
  expect((await place.json("verify")).exit).toBe(0);
  expect((await place.json("cancel", first)).exit).toBe(6);
  expect((await place.json("send", first, "more")).error?.next[1]?.cmd).toContain("resume");
});

test("compact: refused where there is no next turn; done when a suspended thread goes on", async () => {
  place.write(
    scripted(
      "asking",
      `- says: ${"one ".repeat(3_000)}\n  calls: [{ tool: bash, input: { command: "echo one" } }]\n- says: done\n`,
    ),
  );
  await place.ok("trust", "--yes");
  const stopped = await place.json("run", "asking", "--set", "turns=1");
  expect(stopped.exit).toBe(3);
  const { thread_id: id } = stopped.data;
  const asked = await place.json("compact", id);
  expect(asked).toMatchObject({ exit: 0, data: { status: "suspended" } });
  expect((await place.run(["resume", id, "--set", "turns=5"])).stdout).toBe("done\n");
  const events = (await place.json("logs", id)).data.events.map(({ type }: { type: string }) => type);
  expect(events).toEqual(expect.arrayContaining(["context_compaction_start", "context_compaction_end"]));
  expect(events.indexOf("context_compaction_end")).toBeLessThan(events.lastIndexOf("cognition_out"));
  expect(await place.json("compact", id)).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
  expect((await place.json("chain", "nobody")).exit).toBe(5);
});

test("a cancel file in the folder of the first thread reaches the one that goes on", async () => {
  place.write(scripted("long", LONG.replace("- says: three", "- hangs: true")));
  await place.ok("trust", "--yes");
  const run = place.start(["run", "long"]);
  const threads = join(place.root, ".ai/threads");
  const told = (id: string) => join(threads, id, "thread.json");
  const names = () =>
    existsSync(threads) ? readdirSync(threads).filter((name) => name.startsWith("long-")) : [];
  await until(() => names().length === 2 && names().every((name) => existsSync(told(name))));
  const [head] = (await place.json("ps")).data.threads;
  const { chain_root_id: first } = head.chain;
  expect(head.thread_id).not.toBe(first);
  const { nonce } = JSON.parse(readFileSync(told(first), "utf8"));
  writeFileSync(join(threads, first, "cancel.requested"), JSON.stringify({ nonce, reason: "enough" }));
  expect((await run.ended).code).toBe(4);
  expect((await place.json("chain", first)).data.threads).toMatchObject([
    { status: "continued" },
    { status: "cancelled" },
  ]);
});

test("a chain that leads in a circle is damage, and whoever asks something of it is told how to look at it", async () => {
  await place.ok("run", "long");
  const [first, second] = (await place.json("chain", "@last")).data.threads;
  const database = new DatabaseSync(join(place.root, ".ai/threads/registry.db"));
  database.exec(
    `UPDATE threads SET status = 'continued', continuation_thread_id = '${first.thread_id}' WHERE thread_id = '${second.thread_id}'`,
  );
  database.close();
  const hit = (await place.json("search", "three")).data.hits[0];
  expect(hit).toMatchObject({ thread_id: second.thread_id, chain_position: null });
  for (const args of [
    ["send", first.thread_id, "hi"],
    ["cancel", second.thread_id],
    ["chain", first.thread_id],
  ]) {
    const { exit, error } = await place.json(...args);
    expect([args[0], exit, error?.code]).toEqual([args[0], 1, "E_CORRUPT"]);
    expect(error?.why).toContain("in a circle");
    expect(error?.next[0]?.cmd).toBe("selvage verify");
  }
  expect((await place.json("verify")).exit).not.toBe(0);
});
