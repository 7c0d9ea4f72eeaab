import { defaultSettings } from "../../src/core/settings.ts";
import type { Story } from "../../src/testing/index.ts";
import { STORY_THREAD } from "../../src/testing/story.ts";
import { idOf } from "../walk/family.ts";
import { channelStories } from "./channel-stories.ts";
import { chatStories } from "./chat-stories.ts";
import { contextStories } from "./context-stories.ts";
import { hookStories } from "./hook-stories.ts";

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

const followedUp: Story = {
  name: "two messages for the time when it would end",
  steps: [{ calls: [call("send", { to: "a" })] }, { says: "first" }, { says: "second" }, { says: "third" }],
  tools: [{ name: "send", effect: "manual", rounds: 6 }],
  asks: [
    { after: "tool_call_start", kind: "follow_up" },
    { after: "step_finish", kind: "follow_up" },
  ],
};

const withoutRetries: Story = {
  name: "somebody turns its retries off, and lets it go on after a failure",
  steps: [{ calls: [call("send")] }, { fails: { status: 503 } }, { says: "never" }],
  tools: [{ name: "send", effect: "manual", rounds: 6 }],
  asks: [
    { after: "tool_call_start", kind: "no_retries" },
    { after: "thread_suspended", times: 1, kind: "resume" },
    { after: "thread_suspended", times: 2, kind: "cancel" },
  ],
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
    retry: {
      ...defaultSettings.retry,
      max_retries: 0,
      base_delay_ms: 10,
      max_delay_ms: 10,
      rate_limited_ms: 10,
    },
  },
  asks: [
    { after: "thread_suspended", times: 1, kind: "resume" },
    { after: "thread_suspended", times: 2, kind: "cancel" },
  ],
};

const send = { name: "send", effect: "manual" } as const;

export const limitApproved: Story = {
  name: "a limit is reached, approved and goes on",
  steps: [{ calls: [call("send", { to: "a" })] }, { calls: [call("send", { to: "b" })] }, { says: "done" }],
  tools: [send],
  limits: { turns: 1 },
  asks: [
    { after: "approval_requested", times: 1, kind: "approve" },
    { after: "approval_requested", times: 2, kind: "approve", limits: { turns: 9 } },
  ],
};

export const limitDenied: Story = {
  name: "a limit is reached and denied",
  steps: [{ calls: [call("send", { to: "a" })] }, { says: "never" }],
  tools: [send],
  limits: { turns: 1 },
  asks: [{ after: "approval_requested", kind: "deny" }],
};

export const quotaReset: Story = {
  name: "a provider asks for an hour, and the thread goes on by itself",
  steps: [{ fails: { status: 429, retry_after_ms: 3_600_000 } }, { calls: [call("send")] }, { says: "done" }],
  tools: [send],
};

export const unanswered: Story = {
  name: "a question that nobody answers counts as a no, where the settings say so",
  steps: [{ calls: [call("send")] }, { says: "never" }],
  tools: [send],
  limits: { turns: 1 },
  settings: { approvals: { timeout_seconds: 900, on_timeout: "deny" } },
};

export const hookAsks: Story = {
  name: "a hook asks about one of three calls",
  steps: [
    { calls: [call("send", { to: "a" }), call("drop", { table: "users" }), call("send", { to: "b" })] },
    { says: "done" },
  ],
  tools: [send, { name: "drop", effect: "manual" }],
  hooks: [
    { event: "before_tool", says: ({ tool }) => ({ action: tool === "drop" ? "suspend" : "continue" }) },
    {
      event: "after_step",
      says: ({ turn }) =>
        turn === 1 ? { action: "continue", context: { message: "mind the tone" } } : { action: "continue" },
    },
  ],
  asks: [{ after: "approval_requested", kind: "approve" }],
};

export const callRefused: Story = {
  ...hookAsks,
  name: "a person refuses a call, and the thread goes on without it",
  asks: [{ after: "approval_requested", kind: "deny" }],
};

const TOOL = "selvage.execute.tool.";
const dropped = (table: string) =>
  call("execute", { item_type: "tool", item_id: "drop", parameters: { table } });

export const rightAsks: Story = {
  name: "a right must be asked for: one yes, one no, and a call that needs neither",
  steps: [{ calls: [dropped("a"), call("send", { to: "a" }), dropped("b")] }, { says: "done" }],
  tools: [send, { name: "drop", effect: "manual" }],
  rights: { permissions: [`${TOOL}send`, `${TOOL}execute`], ask: [`${TOOL}drop`] },
  asks: [
    { after: "approval_requested", times: 1, kind: "approve" },
    { after: "approval_requested", times: 2, kind: "deny" },
  ],
};

export const rightTaken: Story = {
  name: "a right is taken away while the thread works",
  steps: [
    { calls: [call("note", { n: 1 }), call("send", { to: "a" })] },
    { calls: [call("send", { to: "b" }), call("note", { n: 2 })] },
    { calls: [call("other", {})] },
    { says: "done" },
  ],
  tools: [send, { name: "note", effect: "pure" }, { name: "other", effect: "pure" }],
  rights: { permissions: [`${TOOL}send`, `${TOOL}note`] },
  asks: [{ after: "tool_call_result", times: 1, kind: "revoke", right: `${TOOL}s*` }],
};

const start = (directive: string, more: Record<string, unknown> = {}) =>
  call("thread_tool", { directive, ...more });

export const family: Story = {
  name: "a tree of three generations: spawned, waited for, joined",
  steps: [
    { calls: [start("mid"), start("leaf", { wait: true, limits: { spend: "1.00" } })] },
    { says: "done" },
  ],
  tools: [send],
  limits: { spend: "9.00" },
  children: {
    mid: {
      steps: [{ calls: [start("leaf", { wait: true, limits: { spend: "shared" } })] }, { says: "mid" }],
      limits: { spend: "3.00" },
    },
    leaf: {
      steps: [{ calls: [call("send", { to: "leaf" })] }, { calls: [call("directive_return", { sum: 4 })] }],
      outputs: { sum: { type: "number" } },
      limits: { spend: "1.00" },
    },
  },
};

export const familyFails: Story = {
  name: "a parent fails while its children work, and ends after them",
  steps: [{ calls: [start("worker"), start("never", { start: false })] }, { fails: { status: 401 } }],
  tools: [{ ...send, rounds: 30 }],
  limits: { spend: "9.00" },
  children: {
    worker: { steps: [{ calls: [call("send")] }, { says: "x" }], limits: { spend: "1.00" } },
    never: { steps: [{ says: "x" }] },
  },
};

export const familyCancelled: Story = {
  name: "a tree is cancelled while it waits",
  steps: [{ calls: [start("mid", { wait: true })] }, { says: "never" }],
  tools: [{ ...send, rounds: 60 }],
  limits: { spend: "9.00" },
  children: {
    mid: { steps: [{ calls: [start("leaf", { wait: true })] }, { says: "x" }], limits: { spend: "3.00" } },
    leaf: { steps: [{ calls: [call("send")] }, { says: "x" }], limits: { spend: "1.00" } },
  },
  asks: [{ after: "wait_started", times: 1, kind: "cancel" }],
};

const MID = idOf(STORY_THREAD, "mid");
const LEAF = idOf(MID, "leaf", { wait: true });
const waits = (thread_ids: readonly string[], more: Record<string, unknown> = {}) =>
  call("wait_threads", { thread_ids, ...more });

export const familyWaitsFurther: Story = {
  name: "a thread waits for a grandchild that lives",
  steps: [
    { calls: [start("mid")] },
    { calls: [waits([MID], { timeout: 2 })] },
    { calls: [waits([LEAF], { timeout: 0 })] },
    { says: "done" },
  ],
  tools: [],
  limits: { spend: "9.00" },
  children: {
    mid: { steps: [{ calls: [start("leaf", { wait: true })] }, { says: "mid" }], limits: { spend: "3.00" } },
    leaf: {
      steps: [{ fails: { status: 429, retry_after_ms: 20_000 } }, { says: "leaf" }],
      // Enough for two requests that a death cut off, each charged as it was held.
      limits: { spend: "1.00" },
    },
  },
};

export const familyAsksLate: Story = {
  ...familyWaitsFurther,
  name: "a thread asks for a grandchild when it and its parent are over",
  steps: [{ calls: [start("mid")] }, { calls: [waits([MID])] }, { calls: [waits([LEAF])] }, { says: "done" }],
  children: {
    ...familyWaitsFurther.children,
    leaf: { steps: [{ says: "leaf" }], limits: { spend: "1.00" } },
  },
};

export const retryCutShort: Story = {
  name: "a person cuts one wait short and stops the next",
  steps: [
    { fails: { status: 503 } },
    { calls: [call("send")] },
    { fails: { status: 503 } },
    { says: "done" },
  ],
  tools: [send],
  asks: [
    { after: "auto_retry_start", times: 1, kind: "retry_now" },
    { after: "auto_retry_start", times: 3, kind: "retry_stop" },
    { after: "approval_requested", kind: "approve" },
  ],
};

export const budgetChanged: Story = {
  name: "a person changes limits of a thread that runs, and of one that waits",
  steps: [{ calls: [call("send", { to: "a" })] }, { calls: [call("send", { to: "b" })] }, { says: "done" }],
  tools: [send],
  limits: { turns: 1, spend: "1.00" },
  asks: [
    { after: "step_start", kind: "budget", limits: { spend: "2.00", tokens: 300_000 } },
    { after: "approval_requested", kind: "budget", limits: { turns: 9 } },
    { after: "budget_changed", times: 2, kind: "resume" },
    // Where a death changed the order, the question is answered, and the limit raised, all the same.
    { after: "approval_requested", times: 2, kind: "approve" },
  ],
};

export const chargeCorrected: Story = {
  name: "a person says what a request came to that was charged for want of a bill",
  steps: [
    { says: "Going.", calls: [call("send", { to: "a" })], fails: { message: "reset" } },
    { calls: [call("send", { to: "b" })] },
    { says: "done" },
  ],
  tools: [send],
  asks: [
    { after: "cognition_out", kind: "settle", amount: 1_234_567 },
    { after: "charge_corrected", kind: "settle", amount: 5 },
    { after: "crash_recovered", kind: "settle", amount: 765_432_101 },
  ],
};

const server = { action: "start", command: "npm", args: ["run", "dev"] };

export const processes: Story = {
  name: "processes are started, and stopped when their thread ends",
  steps: [
    { calls: [call("managed_subprocess", server), call("send", { to: "a" })] },
    { calls: [call("managed_subprocess", { ...server, command: "vite" })] },
    { says: "done" },
  ],
  tools: [send],
};

export const processesCancelled: Story = {
  name: "a thread is cancelled while its processes run",
  steps: [{ calls: [call("managed_subprocess", server), call("slow")] }, { says: "never" }],
  tools: [{ name: "slow", effect: "manual", rounds: 1e9 }],
  asks: [{ after: "process_started", kind: "cancel" }],
};

export const processesOfATree: Story = {
  name: "a child's processes end with it, its parent's go on until it fails",
  steps: [
    { calls: [call("managed_subprocess", server), start("leaf", { wait: true })] },
    { fails: { status: 401 } },
  ],
  tools: [send],
  children: {
    leaf: {
      steps: [{ calls: [call("managed_subprocess", server), call("send")] }, { says: "x" }],
      limits: { spend: "2.00" },
    },
  },
  limits: { spend: "9.00" },
};

export const stories = [
  ...channelStories,
  ...chatStories,
  ...hookStories,
  ...contextStories,
  processes,
  processesCancelled,
  processesOfATree,
  budgetChanged,
  chargeCorrected,
  limitApproved,
  limitDenied,
  quotaReset,
  unanswered,
  hookAsks,
  callRefused,
  rightAsks,
  rightTaken,
  family,
  familyFails,
  familyCancelled,
  familyWaitsFurther,
  familyAsksLate,
  retryCutShort,
  cancelled,
  messaged,
  followedUp,
  withoutRetries,
  resumed,
  textOnly,
  sequentialTools,
  parallelTools,
  brokenStream,
  parkAndWake,
  slowTools,
  doubtfulProbe,
];
