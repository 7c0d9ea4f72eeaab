// A message of a chat fails, and what waits behind it goes on: once, with tries of its own, and not for ever.
const core = ["src/core/past-failure.test.ts"];
const walk = ["test/walk/chat-failure.test.ts"];
const bot = ["test/chat/failing.test.ts"];

export const CHAT_FAILURES = [
  {
    name: "failure: what waits behind a message that failed waits for somebody to write",
    hole: "K1",
    file: "src/core/decide.ts",
    find: 'if (next) return { type: "follow_up", said: next };',
    replace: "",
    tests: bot,
  },
  {
    name: "failure: what waits goes on over a question, or over money that is not there",
    hole: "K1",
    file: "src/core/past-failure.ts",
    find: ' && suspendReason === "error"',
    replace: "",
    tests: core,
  },
  {
    name: "failure: the turn that failed stays open, and the next message has no tries left",
    hole: "K1",
    file: "src/core/past-failure.ts",
    find: "return isOver ? [",
    replace: "return false ? [",
    tests: core,
  },
  {
    name: "failure: tries of another message count",
    hole: "K1",
    file: "src/core/step.ts",
    find: "return attempt - first + 1;",
    replace: "return attempt;",
    tests: core,
  },
  {
    name: "failure: it goes on although a cancel was stored first, and what failed is not written down",
    hole: "B4",
    file: "src/core/commit.ts",
    find: 'return event.by === "timer" || event.by === BY_FOLLOW_UP;',
    replace: 'return event.by === "timer";',
    tests: walk,
  },
  {
    name: "failure: who only hands a message over leaves it where nobody takes it up",
    hole: "K1",
    file: "src/runtime/requests.ts",
    find: "{ events: [...events, ...comingNext(thread, moment)] }",
    replace: "{ events }",
    tests: walk,
  },
  {
    name: "failure: steering of what has failed is read by nobody",
    hole: "K1",
    file: "src/runtime/requests.ts",
    find: "thread.halting !== undefined || stoppedByFailure(thread)",
    replace: "thread.halting !== undefined",
    tests: bot,
  },
  {
    name: "failure: with hooks that cannot be read only one message is told of",
    hole: "K1",
    file: "src/runtime/unread-hooks.ts",
    find: "} while (next.length > 0);",
    replace: "} while (false);",
    tests: walk,
  },
  {
    name: "failure: hooks that follow a turn are asked again when the next one is left",
    hole: "K1",
    file: "src/core/thread.ts",
    find: "own.judged = own.judged.filter((key) => key === afterStepKey(own.turns));",
    replace: "own.judged = [];",
    tests: core,
  },
  {
    name: "failure: what waits is shown as another go at what failed",
    hole: "K3",
    file: "src/core/chat-state.ts",
    find: "return event.by === BY_FOLLOW_UP ? state : goneOn(state, at);",
    replace: "return goneOn(state, at);",
    tests: ["src/core/chat-state.test.ts"],
  },
];
