// The host process: who hosts what, who may come in, and what ends it.
const stays = ["test/walk/stays.test.ts"];
const parked = ["test/walk/parked.test.ts"];
const stores = ["test/store/stores.test.ts"];
const journal = ["test/store/journal.test.ts"];
const door = ["src/surface/host/door.test.ts"];
const protocol = ["src/surface/host/protocol.test.ts"];
const unit = ["src/surface/host/unit.test.ts"];
/** Real processes: the break is built. */
const built = (path) => ({ built: true, tests: [path] });

export const HOST = [
  {
    name: "host: every thread that stands still is read at every look",
    hole: "K8",
    file: "src/runtime/hosting.ts",
    find: "await store.stirring(this.#options.scope, this.#seenUntil)",
    replace: "await store.candidates(this.#options.scope)",
    tests: parked,
  },
  {
    name: "host: files for threads whose folders nobody watches are never found",
    hole: "K8",
    file: "src/runtime/hosting.ts",
    find: 'if (outside === "beat" && !first.isLast) await this.#lookFurther(theirs);',
    replace: "",
    tests: parked,
  },
  {
    name: "host: a date beyond the next minute is never looked at again",
    hole: "K8",
    file: "src/store/registry-table.ts",
    find: "OR chain_root_id IN (SELECT chain_root_id FROM timers WHERE due <= ?))`",
    replace: "OR (? < 0))`",
    tests: stores,
  },
  {
    name: "host: a retry whose time is kept by another clock is left out",
    hole: "K8",
    file: "src/core/claim.ts",
    find: 'if (row.status === "running" && (row.waits_for === null || timerDue !== undefined)) return true;',
    replace: 'if (row.status === "running" && row.waits_for === null) return true;',
    tests: stores,
  },
  {
    name: "store: a journal is read to the end of its first page",
    hole: "K8",
    file: "src/store/event-table.ts",
    find: "if (page.length < PAGE) return events;",
    replace: "return events;",
    tests: journal,
  },
  {
    name: "host: one thread that fails ends the host of all",
    hole: "K5",
    file: "src/runtime/hosting.ts",
    find: "if (this.#options.stays && isItsOwn(error)) return this.#setAside(threadId, error);",
    replace: "",
    tests: stays,
  },
  {
    name: "host: a thread that fails again and again is never parked",
    hole: "K5",
    file: "src/runtime/failed-walks.ts",
    find: "if (!failed || failed.times < STRIKES) return undefined;",
    replace: "if (!failed || failed.times < 1e9) return undefined;",
    tests: [...stays, "src/runtime/failed-walks.test.ts"],
  },
  {
    name: "host: who hosts everything takes what another process hosts",
    hole: "K8",
    file: "src/runtime/hosting.ts",
    find: "return theirs.size === 0 ? candidates : candidates.filter(({ row }) => !theirs.has(row.root_id));",
    replace: "return candidates;",
    tests: stays,
  },
  {
    name: "host: a ring goes to who hosts everything instead of who hosts the root",
    hole: "K8",
    file: "src/store/host-table.ts",
    find: 'return live(rootId) ?? live("*");',
    replace: 'return live("*") ?? live(rootId);',
    tests: ["test/store/stores.test.ts"],
  },
  {
    name: "host: its socket is open to everybody",
    hole: "e.5",
    file: "src/surface/host/door.ts",
    find: "quiet(() => chmodSync(path, 0o600));",
    replace: "quiet(() => chmodSync(path, 0o666));",
    tests: door,
  },
  {
    name: "host: a file that is no socket is removed for one",
    hole: "e.5",
    file: "src/surface/host/door.ts",
    find: "if (!there.isSocket()) return false;",
    replace: "",
    tests: door,
  },
  {
    name: "host: a line may be as long as it likes",
    hole: "e.5",
    file: "src/surface/host/protocol.ts",
    find: "return bytes.length > MOST_LINE_BYTES ? undefined : lines;",
    replace: "return lines;",
    tests: protocol,
  },
  {
    name: "host: words that every object knows are commands",
    hole: "e.5",
    file: "src/surface/host/protocol.ts",
    find: "Object.hasOwn(commands, type) ? commands[type] : undefined",
    replace: "commands[type]",
    tests: protocol,
  },
  {
    name: "host: a percent sign in a path is read as a specifier",
    hole: "K7",
    file: "src/surface/host/unit.ts",
    find: 'return text.replaceAll("%", "%%");',
    replace: "return text;",
    tests: unit,
  },
  {
    name: "host: a tool may speak to systemd in the host's name",
    hole: "e.5",
    file: "src/surface/host/notify.ts",
    find: "delete environment[name];",
    replace: "environment[name] ??= undefined;",
    tests: ["src/surface/host/notify.test.ts"],
  },
  {
    name: "host: who follows a thread is not told of its children",
    hole: "K8",
    file: "src/surface/cli/follow-elsewhere.ts",
    find: 'if (event.type === "child_thread_started" && !known.has(event.child_id)) known.set(event.child_id, 0);',
    replace: "",
    ...built("test/cli/serve.test.ts"),
  },
  {
    name: "host: what a dead process left is taken up without leave",
    hole: "K8",
    file: "src/surface/cli/serve-recovery.ts",
    find: "return this.#isAuto || this.#chains.has(row.chain_root_id);",
    replace: "return true;",
    ...built("test/cli/serve.test.ts"),
  },
  {
    name: "host: systemd is not told that it stops",
    hole: "K7",
    file: "src/surface/cli/serving.ts",
    find: 'signal.addEventListener("abort", () => this.#onStop());',
    replace: "",
    ...built("test/cli/systemd.test.ts"),
  },
];
