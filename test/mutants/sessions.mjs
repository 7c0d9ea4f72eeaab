// Sessions: words that wait, retries that were turned off, and the protocol for programs.
const walk = ["test/walk/follow-up.test.ts"];
const story = ["src/surface/session/projection.test.ts"];
const lines = ["src/surface/rpc/lines.test.ts"];
const server = ["src/surface/rpc/server.test.ts"];

export const SESSIONS = [
  {
    name: "session: a follow-up is read at once",
    hole: "K1",
    file: "src/core/spoken.ts",
    find: "if (event.after) return { ...thread, followUps: kept(thread.followUps, event) };",
    replace: "",
    tests: walk,
  },
  {
    name: "session: a thread ends over a follow-up",
    hole: "K1",
    file: "src/core/decide.ts",
    find: 'if (said) return { type: "follow_up", said };',
    replace: "",
    tests: walk,
  },
  {
    name: "session: retries that were turned off are made",
    hole: "H1",
    file: "src/runtime/retry-needs.ts",
    find: "thread.limits, thread.autoRetry)",
    replace: "thread.limits)",
    tests: walk,
  },
  {
    name: "session: agent_settled before the retries are over",
    hole: "H1",
    file: "src/surface/session/projection.ts",
    find: "return [...this.#end(true), told];",
    replace: 'return [...this.#settle("retrying", event), told];',
    tests: story,
  },
  {
    name: "session: results of tools come before the answer that asked for them",
    hole: "H1",
    file: "src/surface/session/projection.ts",
    find: "if (!wasStarted) return [];",
    replace: "if (!wasStarted) return whole(this.#results.at(-1) as never);",
    tests: story,
  },
  {
    name: "rpc: a line that is too long is kept",
    hole: "K6",
    file: "src/surface/rpc/lines.ts",
    find: "if (length > this.#longest) return { tooLong: length };",
    replace: "",
    tests: lines,
  },
  {
    name: "rpc: any number of commands may wait",
    hole: "K6",
    file: "src/surface/rpc/server.ts",
    find: "if (this.#queue.length + this.#underWay.size >= MOST_WAITING)",
    replace: "if (false)",
    tests: server,
  },
  {
    name: "rpc: a long command holds up the others",
    hole: "K6",
    file: "src/surface/rpc/server.ts",
    find: "if (!isLong) await this.#inTime(done);",
    replace: "await done;",
    tests: server,
  },
  {
    name: "rpc: events pile up for a reader that does not read",
    hole: "K6",
    file: "src/surface/rpc/outlet.ts",
    find: "while (this.isBehind && !this.#isOver) await this.#change();\n    this.send(value);",
    replace: "this.send(value);",
    tests: server,
  },
];
