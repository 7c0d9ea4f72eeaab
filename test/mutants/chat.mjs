// The chat bot: what people say is stored once, answered once, in order.
const walk = ["test/walk/chat.test.ts"];
const sweep = ["test/crash/sweep.test.ts"];
const bot = ["test/chat/bot.test.ts"];

export const CHAT = [
  {
    name: "chat: a message that comes while it works is answered together with the first",
    hole: "K1",
    file: "src/core/decide.ts",
    find: "if (lasting && !waitsFor && (answering !== undefined || !said))",
    replace: "if (lasting && !waitsFor && !said)",
    tests: walk,
  },
  {
    name: "chat: a redelivered first message begins a second thread",
    hole: "K2",
    file: "src/core/birth.ts",
    find: 'return { refused: "known" };',
    replace: "return undefined;",
    tests: walk,
  },
  {
    name: "chat: two that begin at once begin two threads",
    hole: "K8",
    file: "src/core/birth.ts",
    find: 'isTaken(address) ? { refused: "taken" }',
    replace: 'false ? { refused: "taken" }',
    tests: walk,
  },
  {
    name: "chat: a thread that lasts ends with its first answer",
    hole: "K1",
    file: "src/core/decide.ts",
    find: 'if (lasting) return { type: "rest" };',
    replace: "",
    tests: [...walk, ...sweep],
  },
  {
    name: "chat: an answer is forgotten when the conversation is handed on",
    hole: "K1",
    file: "src/core/context-fold.ts",
    find: "...(carried.wants_more ? { wantsMore: true, answering: carried.answering } : {}),",
    replace: "",
    tests: walk,
  },
  {
    name: "chat: what people were told makes the thread be loaded",
    hole: "K6",
    file: "src/runtime/activation.ts",
    find: "if (!tookFrom && !options.timerFired && areNotes(row, open)) {",
    replace: "if (false) {",
    tests: walk,
  },
  {
    name: "chat: a last text that was refused once is never shown",
    hole: "K3",
    file: "src/surface/chat/actor.ts",
    find: 'else if (target?.what === "notice") this.#owed',
    replace: "else if (false) this.#owed",
    tests: bot,
  },
  {
    name: "chat: what was noted and is not in the journal yet is forgotten by the next actor",
    hole: "K2",
    file: "src/surface/chat/actors.ts",
    find: 'request.kind === "delivery" ? [{ id: request.request_id, note: noteOf(request) }] : [],',
    replace: "[],",
    tests: bot,
  },
  {
    name: "chat: a message to a thread that is being stopped is void with it",
    hole: "K1",
    file: "src/core/request.ts",
    find: 'if (kind === "message" && (row.stopping || isEnding)) return "it is being stopped";',
    replace: "",
    tests: bot,
  },
];
