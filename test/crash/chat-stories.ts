import type { Story } from "../../src/testing/index.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });
const send = { name: "send", effect: "manual" } as const;

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
    name: "a talk: what the project says about itself changes in between",
    steps: [{ says: "Hello." }, { calls: [call("send", { to: "a" })] }, { says: "Sent." }, { says: "Bye." }],
    tools: [send],
    chat: ["hi", "send it", "bye"],
    systemNow: (_thread, messageId) => `Remember ${messageId === "said_2" ? "said_1" : messageId}.`,
  },
];
