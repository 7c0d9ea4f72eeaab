// Files of a chat, and what a talk reads fresh.
const memory = ["test/walk/chat-memory.test.ts"];

export const CHAT_FILES = [
  {
    name: "chat: a talk keeps the memory that it began with",
    hole: "S1",
    file: "src/core/last-said.ts",
    find: "return system === undefined || system === thread.system",
    replace: "return system !== undefined || system === thread.system",
    tests: memory,
  },
  {
    name: "chat: memory that did not change is written with every message",
    hole: "S1",
    file: "src/core/last-said.ts",
    find: "return system === undefined || system === thread.system",
    replace: "return system === undefined",
    tests: memory,
  },
  {
    name: "chat: a longer memory is paid for from what was held for a shorter one",
    hole: "S1",
    file: "src/core/context-fold.ts",
    find: "return { system, contextTokens: 0, ...counted };",
    replace: "return { system, ...counted };",
    tests: memory,
  },
  {
    name: "chat: a replay does not hear that the memory changed",
    hole: "S1",
    file: "src/replay/ports.ts",
    find: '      tape.coming("system_changed", ({ for: about }) => about === messageId)?.system,',
    replace: "      (messageId === undefined ? tape.threadId : undefined),",
    tests: ["test/replay/stories.test.ts"],
  },
];
