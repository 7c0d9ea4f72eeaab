import { expect, test } from "vitest";
import { premisesIn } from "../../in-memory.ts";
import { createThread } from "../../runtime/index.ts";
import { type Story, storyUniverse } from "../../testing/index.ts";
import { STORY_THREAD, storyDirective } from "../../testing/story.ts";
import { Selvage } from "./runtime.ts";

const spawn = (directive: string) => ({
  tool: "thread_tool",
  input: { directive, limits: { spend: "0.20", turns: directive === "asks" ? 1 : 5 } },
});
const waits = { tool: "wait_threads", input: { thread_ids: ["{thread_id:1}", "{thread_id:2}"] } };

/** A root that waits for two: one asks for more turns, the other ends later than that. */
const STORY: Story = {
  name: "tree",
  tools: [{ name: "work", effect: "pure", rounds: 300 }],
  steps: [{ calls: [spawn("asks"), spawn("works")] }, { calls: [waits] }, { says: "Both." }],
  children: {
    asks: { steps: [{ calls: [{ tool: "work", input: {} }] }, { says: "Answered." }] },
    works: {
      steps: [
        { calls: [{ tool: "work", input: {} }] },
        { calls: [{ tool: "work", input: {} }] },
        { says: "Worked." },
      ],
    },
  },
};

async function played(): Promise<Selvage> {
  const universe = storyUniverse(STORY, { broken: [] });
  const premises = premisesIn(universe);
  const rt = await Selvage.open(premises);
  await createThread(premises.world, STORY_THREAD, {
    ...{
      directive: storyDirective(STORY),
      inputs: {},
      tools: ["work"],
      limits: { spend: "1.00" },
      by: "test",
    },
  });
  return rt;
}

test("a root that waits for a child that asks is at rest as soon as nobody below it moves", async () => {
  const rt = await played();
  const root = await rt.thread(STORY_THREAD);
  const result = await root.result();
  expect(result).toMatchObject({
    status: "suspended",
    reason: "limit",
    approval: { limit_code: "turns_exceeded", directive: "asks" },
    thread: { thread_id: STORY_THREAD },
  });
  rt.onApproval((question) => question.approve());
  expect(await root.result()).toMatchObject({ status: "completed", text: "Both." });
  await rt.close();
});

test("an answer to the child's question is the program's to give, and the root never rests", async () => {
  const rt = await played();
  const asked: string[] = [];
  rt.onApproval((question) => {
    asked.push(String(question.directive));
    return question.approve();
  });
  expect(await (await rt.thread(STORY_THREAD)).result()).toMatchObject({ status: "completed" });
  expect(asked).toEqual(["asks"]);
  await rt.close();
});
