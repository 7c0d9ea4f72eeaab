// What threads did: figures that nobody would look up are still right.
const stats = ["src/core/stats.test.ts"];

export const TELEMETRY = [
  {
    name: "stats: what a chain had spent before is counted once more",
    hole: "B4",
    file: "src/core/stats.ts",
    find: "sum + (amount ?? 0), this.#costs.carried)",
    replace: "sum + (amount ?? 0), 0)",
    tests: stats,
  },
  {
    name: "stats: a correction of the thread before is lost",
    hole: "B4",
    file: "src/core/costs.ts",
    find: "else if (this.#earlier.some((each) => each.hold === hold)) {",
    replace: "else if (this.#earlier.length > 1e9) {",
    tests: stats,
  },
  {
    name: "stats: a wait that a person cut short is another retry",
    hole: "O6",
    file: "src/core/stats.ts",
    find: "if (event.by === undefined) here().retries += 1;",
    replace: "here().retries += 1;",
    tests: stats,
  },
  {
    name: "stats: what ends by itself counts as a wait for people",
    hole: "O6",
    file: "src/core/stats.ts",
    find: 'return waits.kind === "person" && waits.follows !== "resume";',
    replace: 'return waits.kind === "person";',
    tests: stats,
  },
  {
    name: "stats: what a thread wrote after its row was read is counted",
    hole: "B4",
    file: "src/core/stats.ts",
    find: "if (event.seq <= row.seq) counting.take(event);",
    replace: "counting.take(event);",
    tests: stats,
  },
];
