// A start that leaves things out must not leave out too much.
const asked = ["src/surface/cli/asked.test.ts", "src/surface/cli/program.test.ts"];
const loaded = ["test/start/loaded.test.ts"];

export const START = [
  {
    name: "start: the folder after -C is taken for the command",
    hole: "UX a.1",
    file: "src/surface/cli/asked.ts",
    find: 'if (word === "-C" || word === "--project") at += 1;',
    replace: 'if (word === "--project") at += 1;',
    tests: asked,
  },
  {
    name: "start: flags that only the parser understands are skipped",
    hole: "UX a.1",
    file: "src/surface/cli/asked.ts",
    find: "else if (!SWITCHES.includes(word)) return undefined;",
    replace: "",
    tests: asked,
  },
  {
    name: "start: every command is loaded with each",
    hole: "UX a.1",
    file: "src/surface/cli/program.ts",
    find: "if (asked === undefined) return allCommands();",
    replace: "return allCommands();",
    tests: asked,
  },
  {
    name: "start: --help waits for the whole house",
    hole: "UX a.1",
    file: "src/cli.ts",
    find: "await keepCompiled(module as KeepsCompiled);",
    replace: 'await import("./main.ts");',
    tests: loaded,
    built: true,
  },
  {
    name: "start: composed YAML of another text is handed out",
    hole: "C1",
    file: "src/yaml/parse.ts",
    find: "kept.get(text) ?? compose(text)",
    replace: "kept.values().next().value ?? compose(text)",
    tests: ["src/yaml/parse.test.ts"],
  },
  {
    name: "start: a sandbox that failed its trial counts as one",
    hole: "e7",
    file: "src/tool/bubblewrap.ts",
    find: "if (problem === undefined) return void found.set(key, way);",
    replace: "return void found.set(key, way);",
    tests: ["src/tool/bubblewrap.test.ts"],
  },
  {
    name: "start: what is trusted is not looked at by who works there",
    hole: "F7",
    file: "src/surface/cli/session.ts",
    find: "if (!trust.trusted) throw untrusted(root, trust, this.mayAsk);",
    replace: "",
    tests: ["test/cli/start.test.ts"],
    built: true,
  },
];
