/** A lasting thread on stage, and people who talk to it. */
import { host, type Said, tellChat } from "../../src/runtime/index.ts";
import { readThread, type Story } from "../../src/testing/index.ts";
import { storyDirective } from "../../src/testing/story.ts";
import { stage } from "./stage.ts";

export const ADDRESS = "test:room";
export const send = { name: "send", effect: "manual" } as const;

export function talk(
  steps: Story["steps"],
  tools: Parameters<typeof stage>[1] = [],
  more: Parameters<typeof stage>[3] = {},
) {
  const staged = stage(steps, tools, {}, more);
  const { world } = staged;
  let prepared = 0;
  const prepare = async () => {
    prepared += 1;
    const directive = storyDirective({ rights: more.rights ?? {}, children: more.children ?? {} });
    return {
      directive,
      inputs: {},
      tools: tools?.map(({ name }) => name) ?? [],
      limits: { turns: 50, ...more.limits },
    };
  };
  let said = 0;
  const say = (text: string, more: Partial<Said> = {}) => {
    said += 1;
    return tellChat(world, { address: ADDRESS, text, by: "maya", messageId: `m${said}`, ...more }, prepare);
  };
  const run = () => host(world, { scope: "*", mayRecover: () => true, patienceMs: 1_000 });
  const head = async () => {
    const [row] = await world.store.find({ address: ADDRESS, onlyHeads: true, limit: 1 });
    if (!row) throw new Error("nobody listens");
    return row;
  };
  const fold = async () => readThread(world, (await head()).thread_id);
  const answers = async () =>
    (await fold()).events.flatMap((event) => (event.type === "message_answered" ? [event] : []));
  const note = (state: "intended" | "posted", request_id: string) =>
    head().then(({ thread_id }) =>
      world.store.post([
        { kind: "delivery", request_id, thread_id, by: "chat", for: "m1", what: "answer", state },
      ]),
    );
  return { ...staged, say, run, head, fold, answers, note, prepared: () => prepared };
}
