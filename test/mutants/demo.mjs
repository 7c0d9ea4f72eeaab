// The demo is a smoke test: what it does not notice, nobody would.
const proof = ["src/surface/cli/demo/proof.test.ts"];
const demo = ["test/cli/demo.test.ts"];

export const DEMO = [
  {
    name: "demo: an effect that happened twice is not counted as redone",
    hole: "B2",
    file: "src/surface/cli/demo/proof.ts",
    find: "beyondFirst(doneKeys(lines))",
    replace: "0 * beyondFirst(doneKeys(lines))",
    tests: proof,
  },
  {
    name: "demo: a finished call that is begun again is taken for the one that was cut off",
    hole: "B2",
    file: "src/surface/cli/demo/proof.ts",
    find: "count > 1 && !cut.has(key)",
    replace: "count > 2 && !cut.has(key)",
    tests: proof,
  },
  {
    name: "demo: a second bill for one answer is not noticed",
    hole: "C18",
    file: "src/surface/cli/demo/proof.ts",
    find: "if (paid.has(turnName(event))) again += billOf(event);",
    replace: "if (paid.size > 1e9) again += billOf(event);",
    tests: proof,
  },
  {
    name: "demo: the ledger is not compared with the bills",
    hole: "C6",
    file: "src/surface/cli/demo/proof.ts",
    find: "return billed === spent",
    replace: "return billed >= 0 || spent < 0",
    tests: proof,
  },
  {
    name: "demo: a proof that failed exits 0",
    hole: "B2",
    file: "src/surface/cli/demo/report.ts",
    find: "return failures.length === 0 && again === 0 && Number(paid) === 0;",
    replace: "return failures.length >= 0 && again >= 0 && Number(paid) === 0;",
    tests: demo,
    built: true,
  },
  {
    name: "demo: Ctrl-C leaves its processes behind",
    hole: "I4",
    file: "src/surface/cli/demo/theatre.ts",
    find: "    this.place.killAll();\n    const rows",
    replace: "    const rows",
    tests: demo,
    built: true,
  },
];
