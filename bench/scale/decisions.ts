/** A question that one process hosts and another answers: how soon the answer is journaled. */
import type { Model } from "../../src/core/model.ts";
import { postRequest } from "../../src/inside.ts";
import { CALL_INPUT, TOOL_NAME } from "../payload.ts";
import { type Instants, instant, type ScaleReplies } from "./orders.ts";
import { directiveOf, hosting, openScene, PRICE, type Scene, start } from "./stage.ts";

const USAGE = { input: 10, cache_read: 0, cache_write: 0, output: 5 };

/** Asks for one call, and then is done. */
const model: Model = {
  streams: true,
  price: PRICE,
  ask: async ({ answers }, on) => {
    if (answers > 0) {
      on({ type: "block", block: { type: "text", text: "Done." } });
      return { type: "end", stop: "end_turn", usage: USAGE };
    }
    on({ type: "block", block: { type: "call", tool: TOOL_NAME, input: CALL_INPUT } });
    return { type: "end", stop: "tool_use", usage: USAGE };
  },
};
const asking = directiveOf("asks", "bench/asks", { permissions: [], ask: ["selvage.execute.tool.*"] });

interface Waiting {
  readonly scene: Scene;
  readonly host: ReturnType<typeof hosting>;
  readonly decided: Record<string, number>;
  readonly all: Promise<void>;
}
let waiting: Waiting | undefined;

export async function waitForDecisions(root: string, threads: number): Promise<ScaleReplies["await"]> {
  const decided: Record<string, number> = {};
  const approvals: string[] = [];
  const [asked, all] = [counter(threads), counter(threads)];
  const scene = openScene(
    new Map([["bench/asks", model]]),
    (notice) => {
      if (notice.type !== "event") return;
      const { event } = notice;
      if (event.type === "approval_decided") decided[event.approval_id] = instant();
      if (event.type === "approval_requested") approvals.push(event.approval_id);
      if (event.type === "thread_suspended") asked.count();
      if (event.type === "thread_completed") all.count();
    },
    root,
  );
  for (let n = 0; n < threads; n += 1) await start(scene.world, asking);
  waiting = { scene, host: hosting(scene.world), decided, all: all.reached };
  await asked.reached;
  return { approvals };
}

export async function sumUp(): Promise<ScaleReplies["awaited"]> {
  if (!waiting) throw new Error("nothing is waited for");
  await waiting.all;
  await waiting.host.stop();
  await waiting.scene.close();
  return { decided: waiting.decided };
}

export async function postDecisions(
  root: string,
  approvals: readonly string[],
): Promise<ScaleReplies["decide"]> {
  const { world, close } = openScene(new Map(), () => {}, root);
  const begun: Record<string, number> = {};
  const returned: Record<string, number> = {};
  const open = await world.store.approvals({ states: ["open"] });
  for (const approval_id of approvals) {
    const thread_id = open.find((row) => row.approval.approval_id === approval_id)?.thread_id ?? "";
    begun[approval_id] = instant();
    const posted = await postRequest(world, {
      ...{ request_id: `bench_${approval_id}`, thread_id, by: "bench", kind: "decide", approval_id },
      ...{ approved: true, via: "cli", resume: true },
    });
    returned[approval_id] = instant();
    if (!posted.accepted) throw new Error(posted.why);
    await world.clock.sleep(40);
  }
  await close();
  return { begun, returned };
}

/** Each from the first of these to the second, in ms. */
export function spans(from: Instants, to: Instants): number[] {
  return Object.entries(to).map(([name, at]) => at - (from[name] ?? Number.NaN));
}

function counter(wanted: number): { count(): void; readonly reached: Promise<void> } {
  let [left, reach] = [wanted, () => {}];
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const count = () => {
    left -= 1;
    if (left === 0) reach();
  };
  return { count, reached };
}
