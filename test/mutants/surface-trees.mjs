// Trees: holes F and G of docs/holes, as they are seen from outside.
const apply = ["test/walk/apply.test.ts"];
const patient = ["test/walk/after-tool.test.ts"];
const waves = ["src/core/waves.test.ts"];
/** Real processes: the break is built. */
const cli = (name) => ({ built: true, tests: [`test/cli/${name}.test.ts`] });

export const SURFACE_TREES = [
  {
    name: "tree: whoever takes a child's outcome leaves the wait open",
    hole: "G2",
    file: "src/runtime/activation.ts",
    find: 'if (action?.type === "finish_wait") await record(active, waitFinished(thread, action.end));',
    replace: "",
    tests: apply,
  },
  {
    name: "tree: a cancel without a host ends the thread that is named, and nobody below it",
    hole: "F5",
    file: "src/runtime/apply.ts",
    find: ".filter(({ depth }) => !Number.isNaN(depth))",
    replace: ".filter(({ depth }) => depth === 0)",
    tests: apply,
  },
  {
    name: "tree: a cancel that lets tools end stops them",
    hole: "F1",
    file: "src/runtime/interrupting.ts",
    find: 'if (reach === "all") tools.abort(reason);',
    replace: "tools.abort(reason);",
    tests: patient,
  },
  {
    name: "tree: tools do not hear of a cancel",
    hole: "F1",
    file: "src/runtime/interrupting.ts",
    find: 'if (reach === "all") tools.abort(reason);',
    replace: "",
    tests: ["test/walk/cancel.test.ts"],
  },
  {
    name: "tree: those below are stopped at once although tools may end",
    hole: "F1",
    file: "src/core/cascade.ts",
    find: "...(after_tool ? { after_tool } : {})",
    replace: "...{}",
    tests: patient,
  },
  {
    name: "tree: the report of a cancel leaves out what the stop closed",
    hole: "F9",
    file: "src/runtime/requests.ts",
    find: 'if (status !== "running" || latest?.role !== "tool") return [];',
    replace: "return [];",
    tests: ["test/walk/cancel.test.ts"],
  },
  {
    name: "tree: a wave counts as joined when one of it was waited for",
    hole: "G8",
    file: "src/core/waves.ts",
    find: "wave.members.every((id) => met.has(id))",
    replace: "wave.members.some((id) => met.has(id))",
    tests: waves,
  },
  {
    name: "tree: a root that waits for a question is said to go on by itself",
    hole: "G9",
    file: "src/surface/cli/result.ts",
    find: "return below.length > 0 ? EXIT.needs_you : exitOfThread(thread);",
    replace: "return exitOfThread(thread);",
    ...cli("narration"),
  },
  {
    name: "tree: a message that nobody hosts stays in the way of an answer",
    hole: "G2",
    file: "src/surface/cli/commands/send.ts",
    find: "const isTaken = !posted.host && (await applyRequests(world, row.thread_id, PATIENCE_MS));",
    replace: "const isTaken = false;",
    ...cli("wait"),
  },
  {
    name: "tree: a tool speaks to threads of other trees",
    hole: "J10",
    file: "src/surface/cli/commands/send.ts",
    find: "await requireRelative(world, row);",
    replace: "",
    ...cli("wait"),
  },
  {
    name: "tree: a wait for a thread that nobody runs any more never ends",
    hole: "G3",
    file: "src/surface/cli/needs-you.ts",
    find: "if (isAbandoned) return true;",
    replace: "if (isAbandoned) return false;",
    ...cli("wait"),
  },
  {
    name: "tree: recovering a parent leaves its dead child where it is",
    hole: "G3",
    file: "src/surface/cli/recovery-choice.ts",
    find: "chosen : wholeTrees(live, chosen);",
    replace: "chosen : [...chosen];",
    ...cli("tree-recover"),
  },
];
