/** A long thread is let go on: how soon its next request is made. */
import type { Model } from "../../src/core/model.ts";
import { postRequest } from "../../src/inside.ts";
import { benchModel, MODEL } from "../model.ts";
import { type Mark, mark, since } from "../watch.ts";
import type { ScaleReplies } from "./orders.ts";
import { directiveOf, hosting, openScene, start } from "./stage.ts";

interface Found {
  readonly askedMs: number[];
  /** Of the processor, up to there. */
  readonly cpuMs: number[];
  readonly heardMs: number[];
}

export async function resumeLong(
  port: number,
  { turns, rounds }: { readonly turns: number; readonly rounds: number },
): Promise<ScaleReplies["resume"]> {
  const found: Found = { askedMs: [], cpuMs: [], heardMs: [] };
  const clock: { begun?: Mark | undefined } = {};
  let onQuestion: (approvalId: string) => void = () => {};
  const models = new Map([
    [MODEL, timed(benchModel(port, { turns: 1_000_000, kind: "tool" }), clock, found)],
  ]);
  const { world, close } = openScene(models, (notice) => {
    if (notice.type === "event" && notice.event.type === "approval_requested")
      onQuestion(notice.event.approval_id);
  });
  const question = () =>
    new Promise<string>((resolve) => {
      onQuestion = resolve;
    });
  let asked = question();
  const limits = { turns, tokens: 1_000_000_000_000, spend: "100000.00" };
  const thread_id = await start(world, directiveOf("long", MODEL, { limits }));
  const host = hosting(world);
  for (let round = 1; round <= rounds; round += 1) {
    const approval_id = await asked;
    asked = question();
    await world.clock.sleep(50);
    clock.begun = mark();
    const posted = await postRequest(world, {
      ...{ request_id: `bench_${approval_id}`, thread_id, by: "bench", kind: "decide", approval_id },
      ...{ approved: true, via: "cli", resume: true, limits: { turns: turns + round } },
    });
    if (!posted.accepted) throw new Error(posted.why);
  }
  await asked;
  await host.stop();
  await close();
  return found;
}

/** Notes when it is asked after a wait, and when the answer begins. */
function timed(model: Model, clock: { begun?: Mark | undefined }, found: Found): Model {
  return {
    ...model,
    ask: (request, on, signal) => {
      const { begun } = clock;
      if (!begun) return model.ask(request, on, signal);
      clock.begun = undefined;
      const { wallMs, cpuMs } = since(begun);
      found.askedMs.push(wallMs);
      found.cpuMs.push(cpuMs);
      let isFirst = true;
      const hear: typeof on = (event) => {
        if (isFirst) found.heardMs.push(since(begun).wallMs);
        isFirst = false;
        on(event);
      };
      return model.ask(request, hear, signal);
    },
  };
}
