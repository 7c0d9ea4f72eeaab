/** From the end of a child to its parent's next commit, in one process. */
import type { Event } from "../../src/core/event.ts";
import type { Model } from "../../src/core/model.ts";
import { host } from "../../src/inside.ts";
import type { ScaleReplies } from "./orders.ts";
import { directiveOf, openScene, PRICE, start } from "./stage.ts";

const CHILDREN_EACH = 10;
const CHILD = directiveOf("child", "bench/child", { limits: { turns: 5, spend: "1.00" } });

export async function playTree(children: number): Promise<ScaleReplies["tree"]> {
  const ended = new Map<string, number>();
  const heardMs: number[] = [];
  const commitMs: number[] = [];
  const onEvent = (event: Event) => {
    if (event.type === "thread_completed") ended.set(event.thread_id, performance.now());
    if (event.type !== "child_thread_completed") return;
    heardMs.push(performance.now() - (ended.get(event.child_id) ?? Number.NaN));
  };
  const models = new Map<string, Model>([
    ["bench/parent", parentModel(CHILDREN_EACH)],
    ["bench/child", says("Done.")],
  ]);
  const { world, close } = openScene(models, (notice) => {
    if (notice.type === "event") onEvent(notice.event);
  });
  const commit = world.store.commit;
  const store: typeof world.store = {
    ...world.store,
    commit: async (...given) => {
      const begun = performance.now();
      const answer = await commit(...given);
      commitMs.push(performance.now() - begun);
      return answer;
    },
  };
  const family = {
    ...world,
    store,
    prepare: async () => ({
      directive: CHILD,
      inputs: {},
      system: CHILD.description,
      tools: [],
      brought: [],
    }),
  };
  const permissions = ["selvage.execute.tool.*", "selvage.execute.directive.*"];
  // Parents of a usual size, one after the other: what a long one takes to be read is measured by itself.
  for (let made = 0; made < children; made += CHILDREN_EACH) {
    const id = await start(family, directiveOf("parent", "bench/parent", { permissions }));
    await host(family, { scope: id, mayRecover: () => true, patienceMs: 1_000 });
  }
  await close();
  return { heardMs, commitMs };
}

function says(text: string): Model {
  return {
    streams: true,
    price: PRICE,
    ask: async (_, on) => {
      on({ type: "block", block: { type: "text", text } });
      return {
        type: "end",
        stop: "end_turn",
        usage: { input: 10, cache_read: 0, cache_write: 0, output: 5 },
      };
    },
  };
}

function parentModel(children: number): Model {
  const ending = says("All done.");
  return {
    ...ending,
    ask: async (asked, on, signal) => {
      if (asked.answers >= children) return ending.ask(asked, on, signal);
      const input = { directive: "child", wait: true, inputs: { n: asked.answers } };
      on({ type: "block", block: { type: "call", tool: "thread_tool", input } });
      return {
        type: "end",
        stop: "tool_use",
        usage: { input: 10, cache_read: 0, cache_write: 0, output: 5 },
      };
    },
  };
}
