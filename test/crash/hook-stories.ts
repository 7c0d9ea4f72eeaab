// Hooks that run directives: asked, falling over, deciding, cancelled.
import type { Story } from "../../src/testing/index.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });
const send = { name: "send", effect: "manual" as const };

const decides = (action: string) => ({
  steps: [{ calls: [call("directive_return", { action })] }],
  outputs: { action: { type: "string" as const } },
  limits: { spend: "1.00" },
});

const hookDirective: Story = {
  name: "a hook's directive is asked before a tool, after a hook on the spot",
  steps: [{ calls: [call("send", { to: "a" })] }, { says: "done" }],
  tools: [send],
  limits: { spend: "9.00" },
  hooks: [
    { event: "before_tool", when: ({ tool }) => tool === "send", says: () => ({ action: "continue" }) },
    { event: "before_tool", directive: "yes" },
  ],
  children: { yes: decides("continue") },
};

const hookDirectiveFails: Story = {
  name: "a hook's directive falls over before a tool, and a person is asked",
  steps: [{ calls: [call("send", { to: "a" })] }, { says: "done" }],
  tools: [send],
  hooks: [{ event: "before_tool", directive: "broken" }],
  limits: { spend: "9.00" },
  // Enough for two requests that a death cut off, each charged as it was held.
  children: { broken: { steps: [{ fails: { status: 401 } }], limits: { spend: "1.00" } } },
  asks: [{ after: "approval_requested", kind: "approve" }],
};

const hookDirectiveDecides: Story = {
  name: "hooks run directives at an error, which is retried, and at a limit, which ends it",
  steps: [{ fails: { status: 503 } }, { calls: [call("send", { to: "a" })] }, { says: "never" }],
  tools: [send],
  limits: { turns: 1, spend: "9.00" },
  hooks: [
    { event: "error", directive: "yes" },
    { event: "limit", directive: "no" },
  ],
  children: { yes: decides("continue"), no: decides("fail") },
};

const hookDirectiveCancelled: Story = {
  name: "a thread is cancelled while a hook's directive works",
  steps: [{ calls: [call("send", { to: "a" })] }, { says: "never" }],
  tools: [{ ...send, rounds: 60 }],
  limits: { spend: "9.00" },
  hooks: [{ event: "before_tool", directive: "slow" }],
  children: { slow: { steps: [{ calls: [call("send")] }, { says: "x" }], limits: { spend: "1.00" } } },
  asks: [{ after: "wait_started", times: 1, kind: "cancel" }],
};

export const hookStories = [hookDirective, hookDirectiveFails, hookDirectiveDecides, hookDirectiveCancelled];
