import type { Story } from "../../src/testing/index.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });

export const sequentialTools: Story = {
  name: "sequential tools",
  steps: [
    { says: "First.", calls: [call("send", { to: "a" })] },
    { calls: [call("note", { n: 1 }), call("note", { n: 2 })] },
    { says: "Done." },
  ],
  tools: [
    { name: "send", effect: "manual" },
    { name: "note", effect: "keyed" },
  ],
};

export const parallelTools: Story = {
  name: "parallel inline tools",
  steps: [
    {
      says: "All at once.",
      calls: [
        call("fetch", { n: 1 }),
        call("send", { to: "a" }),
        call("fetch", { n: 2 }),
        call("send", { to: "b" }),
        call("store", { n: 3 }),
      ],
    },
    { says: "Done." },
  ],
  tools: [
    { name: "fetch", effect: "pure", rounds: 5 },
    { name: "send", effect: "manual", rounds: 2 },
    { name: "store", effect: "probe", rounds: 9 },
  ],
};

export const brokenStream: Story = {
  name: "a stream that breaks after a tool has started",
  steps: [
    { says: "Going.", calls: [call("send", { to: "a" }), call("fetch")], fails: { message: "reset" } },
    { fails: { status: 503 } },
    { says: "Done." },
  ],
  tools: [
    { name: "send", effect: "manual" },
    { name: "fetch", effect: "pure" },
  ],
};

export const textOnly: Story = { name: "text only", steps: [{ says: "Hello." }], tools: [] };

export const parkAndWake: Story = {
  name: "parking and waking",
  steps: [
    { fails: { status: 503 } },
    { fails: { status: 429, retry_after_ms: 1500 } },
    { calls: [call("send", { to: "a" })] },
    { fails: { status: 529 } },
    { says: "Done." },
  ],
  tools: [{ name: "send", effect: "manual" }],
};

export const slowTools: Story = {
  name: "a tool that outlives the stream",
  steps: [{ says: "Slow.", calls: [call("slow", { n: 1 }), call("send", { to: "a" })] }, { says: "Done." }],
  tools: [
    { name: "slow", effect: "manual", rounds: 200 },
    { name: "send", effect: "manual" },
  ],
};

export const doubtfulProbe: Story = {
  name: "a probe that cannot tell",
  steps: [{ calls: [call("pay", { cents: 100 })] }, { says: "Done." }],
  tools: [{ name: "pay", effect: "probe", probe: "cannot_tell" }],
};

export const cancelled: Story = {
  name: "a cancel while tools run",
  steps: [
    { says: "a", calls: [call("send", { to: "a" }), call("slow"), call("send", { to: "b" })] },
    { says: "never" },
  ],
  tools: [
    { name: "send", effect: "manual" },
    { name: "slow", effect: "manual", rounds: 1e9 },
  ],
  asks: [{ after: "tool_call_start", kind: "cancel" }],
};

export const messaged: Story = {
  name: "a message in the middle of a turn",
  steps: [{ calls: [call("send", { to: "a" })] }, { says: "first" }, { says: "second" }],
  tools: [{ name: "send", effect: "manual", rounds: 6 }],
  asks: [{ after: "tool_call_start", kind: "message" }],
};

export const resumed: Story = {
  name: "a person resumes after the retries are used up",
  steps: [
    { fails: { status: 503 } },
    { fails: { status: 503 } },
    { calls: [call("send")] },
    { says: "done" },
  ],
  tools: [{ name: "send", effect: "manual" }],
  settings: {
    retry: { enabled: true, max_retries: 0, base_delay_ms: 10, max_delay_ms: 10, rate_limited_ms: 10 },
  },
  asks: [
    { after: "thread_suspended", times: 1, kind: "resume" },
    { after: "thread_suspended", times: 2, kind: "cancel" },
  ],
};

export const stories = [
  cancelled,
  messaged,
  resumed,
  textOnly,
  sequentialTools,
  parallelTools,
  brokenStream,
  parkAndWake,
  slowTools,
  doubtfulProbe,
];
