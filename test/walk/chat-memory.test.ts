// A talk reads what its project says about itself for every message: as it is now, and not as it was when the talk began.
import { expect, test } from "vitest";
import { host, tellChat } from "../../src/runtime/index.ts";
import { readThread, type Story } from "../../src/testing/index.ts";
import { storyDirective } from "../../src/testing/story.ts";
import { call, stage } from "./stage.ts";

const ADDRESS = "test:room";
const BEGUN = "Be kind.";

function talk(steps: Story["steps"], tools: Parameters<typeof stage>[1] = []) {
  const project: { says: string | undefined } = { says: BEGUN };
  const staged = stage(steps, tools, {}, { systemNow: () => project.says });
  /** What the provider was sent. */
  const asked: string[] = [];
  const world = {
    ...staged.world,
    model: (name: string) => {
      const model = staged.world.model(name);
      if (!model) return undefined;
      const ask: typeof model.ask = (...how) => {
        asked.push(how[0].system);
        return model.ask(...how);
      };
      return { ...model, ask };
    },
  };
  let said = 0;
  const prepare = async () => {
    const directive = storyDirective({ rights: {}, children: {} });
    return { directive, inputs: {}, tools: tools?.map(({ name }) => name) ?? [], system: BEGUN };
  };
  const say = (text: string) => {
    said += 1;
    return tellChat(world, { address: ADDRESS, text, by: "maya", messageId: `m${said}` }, prepare);
  };
  const run = () => host(world, { scope: "*", mayRecover: () => true, patienceMs: 1_000 });
  const journal = async () => {
    const [row] = await world.store.find({ address: ADDRESS, onlyHeads: true, limit: 1 });
    return readThread(world, row?.thread_id ?? "");
  };
  const changes = async () =>
    (await journal()).events.flatMap((event) => (event.type === "system_changed" ? [event] : []));
  return { ...staged, world, project, asked, say, run, journal, changes };
}

test("what changed between two messages is what the second is answered with; what did not is not written again", async () => {
  const { project, asked, say, run, changes, journal } = talk([{ says: "1" }, { says: "2" }, { says: "3" }]);
  await say("a");
  await run();
  expect(await changes()).toEqual([]);
  project.says = "Be brief.";
  await say("b");
  await run();
  await say("c");
  await run();
  expect(asked).toEqual([BEGUN, "Be brief.", "Be brief."]);
  expect(await changes()).toMatchObject([{ for: "m2", system: "Be brief." }]);
  const { events, thread } = await journal();
  expect(thread.system).toBe("Be brief.");
  const at = events.findIndex(({ type }) => type === "system_changed");
  expect(events[at + 1]).toMatchObject({ type: "cognition_in", request_id: "m2" });
});

test("a message that waited sees what was written while the one before it was answered", async () => {
  const { project, asked, say, run, seen } = talk(
    [{ calls: [call("note")] }, { says: "1" }, { says: "2" }],
    [{ name: "note", effect: "pure", rounds: 50 }],
  );
  await say("a");
  const hosted = run();
  await seen("tool_call_start");
  await say("b");
  project.says = "Remember it.";
  await hosted;
  // Within one answer the rules stay as they were.
  expect(asked).toEqual([BEGUN, BEGUN, "Remember it."]);
});

test("what cannot be told now stays as it was", async () => {
  const { project, asked, say, run, changes } = talk([{ says: "1" }, { says: "2" }]);
  await say("a");
  await run();
  project.says = undefined;
  await say("b");
  await run();
  expect(asked).toEqual([BEGUN, BEGUN]);
  expect(await changes()).toEqual([]);
});

test("one that stopped over a failure goes on with what holds now", async () => {
  const down = { fails: { status: 503 } };
  const { project, asked, say, run, changes } = talk([down, down, down, down]);
  await say("a");
  await run();
  project.says = "Be brief.";
  await say("b");
  await run();
  expect(asked.at(-1)).toBe("Be brief.");
  expect(await changes()).toMatchObject([{ for: "m2" }]);
});

test("what a longer prompt costs is counted before it is spent", async () => {
  const { project, say, run, journal } = talk([{ says: "1" }, { says: "2" }]);
  await say("a");
  await run();
  project.says = "x".repeat(90_000);
  await say("b");
  await run();
  const holds = (await journal()).events.flatMap((event) =>
    event.type === "step_start" ? [event.hold] : [],
  );
  expect(holds.at(-1)?.input_tokens).toBeGreaterThan(30_000);
});
