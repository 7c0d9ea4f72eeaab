/** Threads that talk in a channel while somebody is killed. */
import type { Story } from "../../src/testing/index.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });
const start = (directive: string, more: Record<string, unknown> = {}) =>
  call("thread_tool", { directive, ...more });
const send = { name: "send", effect: "manual" as const };
const talk = (action: string, more: Record<string, unknown> = {}) =>
  call("channel", { action, channel: "plan", ...more });

const channelTurns: Story = {
  name: "channel: two threads talk, one after the other",
  steps: [{ calls: [start("ann", { wait: true })] }, { says: "done" }],
  tools: [send],
  limits: { spend: "9.00" },
  children: {
    // Ann is there before bob is: who comes first is the same in every run.
    ann: {
      steps: [
        { calls: [talk("join", { mode: "round_robin" })] },
        { calls: [start("bob"), talk("read")] },
        { calls: [talk("post", { text: "a1" }), talk("read")] },
        { calls: [talk("post", { text: "a2" })] },
        { says: "ann" },
      ],
      limits: { spend: "5.00" },
    },
    bob: {
      steps: [
        { calls: [talk("join"), talk("read")] },
        { calls: [call("send", { to: "bob" }), talk("post", { text: "b1" }), talk("read")] },
        { says: "bob" },
      ],
      limits: { spend: "2.00" },
    },
  },
};

const channelLeft: Story = {
  ...channelTurns,
  name: "channel: one waits for its turn, and the other leaves",
  children: {
    ...channelTurns.children,
    bob: {
      steps: [{ calls: [talk("join"), talk("read")] }, { calls: [talk("leave")] }, { says: "bob" }],
      limits: { spend: "2.00" },
    },
  },
};

export const channelStories = [channelTurns, channelLeft];
