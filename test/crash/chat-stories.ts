import type { Story } from "../../src/testing/index.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });
const send = { name: "send", effect: "manual" } as const;
const slow = { name: "slow", effect: "manual", rounds: 1e9 } as const;

export const chatStories: readonly Story[] = [
  {
    name: "a talk: every message has one answer",
    steps: [{ says: "Hello." }, { calls: [call("send", { to: "a" })] }, { says: "Sent." }, { says: "Bye." }],
    tools: [send],
    chat: ["hi", "send it", "bye"],
  },
  {
    name: "a talk: the provider is down for a while",
    steps: [{ says: "Hello." }, { fails: { status: 503 } }, { says: "Here again." }],
    tools: [],
    chat: ["hi", "are you there?"],
  },
  {
    name: "a talk: a message fails for good, and those behind it are answered",
    steps: [
      { calls: [call("send", { to: "a" })] },
      { fails: { status: 401 } },
      { says: "Here." },
      { says: "Bye." },
    ],
    tools: [send],
    chat: ["send it", "are you there?", "bye"],
  },
  {
    name: "a talk: a message has used up its tries, and the one behind it has its own",
    steps: [...Array.from({ length: 5 }, () => ({ fails: { status: 503 } })), { says: "Here again." }],
    tools: [],
    chat: ["are you there?", "and now?"],
  },
  {
    name: "a talk: a message is stopped while its tools run",
    steps: [
      { says: "a", calls: [call("send", { to: "a" }), call("slow"), call("send", { to: "b" })] },
      { says: "Here." },
    ],
    tools: [send, slow],
    chat: ["do it", "are you there?"],
    asks: [{ after: "tool_call_start", kind: "stop" }],
  },
  {
    name: "a talk: the only message is stopped, and nothing is left to do",
    steps: [{ calls: [call("slow")] }],
    tools: [slow],
    chat: ["do it"],
    asks: [{ after: "tool_call_start", kind: "stop" }],
  },
  {
    name: "a talk: a message is stopped while it waits for another try",
    steps: [{ fails: { status: 503 } }, { says: "Here again." }],
    tools: [],
    chat: ["are you there?", "and now?"],
    asks: [{ after: "auto_retry_start", kind: "stop" }],
  },
  {
    name: "a talk: a message is stopped while others work for it",
    steps: [
      { calls: [call("thread_tool", { directive: "worker", wait: true })] },
      { says: "Done." },
      { says: "Here." },
    ],
    tools: [send, slow],
    children: { worker: { steps: [{ calls: [call("send"), call("slow")] }, { says: "Worked." }] } },
    chat: ["do it", "are you there?"],
    asks: [{ after: "wait_started", kind: "stop" }],
  },
  {
    name: "a talk: a message that waits for a person is stopped",
    steps: [{ calls: [call("send")] }, { says: "Here." }],
    tools: [send],
    rights: { ask: ["selvage.execute.tool.send"] },
    chat: ["do it", "are you there?"],
    asks: [{ after: "approval_requested", kind: "stop" }],
  },
  {
    name: "a talk: what waits is said in other words before it is begun, and what has begun is not",
    steps: [{ calls: [call("send")] }, { says: "1" }, { says: "2" }, { says: "3" }],
    tools: [{ ...send, rounds: 6 }],
    chat: ["a", "b", "c"],
    asks: [
      { after: "tool_call_start", kind: "edit", replaces: "said_1" },
      { after: "message_answered", times: 2, kind: "edit", replaces: "said_0" },
    ],
  },
  {
    name: "a talk: what the project says about itself changes in between",
    steps: [{ says: "Hello." }, { calls: [call("send", { to: "a" })] }, { says: "Sent." }, { says: "Bye." }],
    tools: [send],
    chat: ["hi", "send it", "bye"],
    systemNow: (_thread, messageId) => `Remember ${messageId === "said_2" ? "said_1" : messageId}.`,
  },
];
