/** Our side of the comparison: the real World, and worlds with less of it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultSettings } from "../src/core/settings.ts";
import type { Tool } from "../src/core/tool.ts";
import type { Exports, Inbox, World } from "../src/core/world.ts";
import { createThread, defineTool, host, newThreadId, realWorld } from "../src/inside.ts";
import { randomBytes, realClock, realMachine, sha256 } from "../src/machine/index.ts";
import { type OpenDriver, openDriver } from "../src/store/driver.ts";
import { memoryDisk, openMemoryStore } from "../src/store/stores/memory.ts";
import { openSqliteStore } from "../src/store/stores/sqlite.ts";
import { NO_SANDBOX } from "../src/tool/sandbox.ts";
import { toolbox } from "../src/tool/toolbox.ts";
import { benchModel, MODEL } from "./model.ts";
import { TOOL_NAME, TOOL_SCHEMA } from "./payload.ts";
import type { RawTool } from "./raw.ts";
import { directiveOf } from "./scale/stage.ts";
import type { Job, Variant } from "./variant.ts";

export interface Stage {
  readonly world: World;
  /** The database, where there is one. */
  readonly path: string;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly port: number;
  readonly job: Job;
  readonly tool: RawTool;
  /** Stands in for the driver, to count what it does. */
  readonly open?: OpenDriver;
  /** A thread completed: its last commit is written, the host has not left yet. */
  readonly onEnd?: () => void;
}

// Limits far away, but kept: every turn is counted and paid for.
const directive = directiveOf("bench", MODEL);
const noExports: Exports = {
  append: () => {},
  remake: () => {},
  isBehind: () => false,
  reconcile: () => undefined,
};
const noInbox: Inbox = { take: () => [], done: () => {}, watch: () => () => {} };

export function openStage(variant: Exclude<Variant, "raw">, options: StageOptions): Stage {
  const root = mkdtempSync(join(tmpdir(), "selvage-bench-"));
  const path = join(root, ".ai", "threads", "registry.db");
  const model = benchModel(options.port, options.job);
  const tools = [noteTool(options.tool)];
  const world = {
    ...(variant === "durable"
      ? realWorld({ root, tools, models: new Map([[MODEL, model]]), notify: () => {} })
      : partWorld(variant, root, tools)),
  };
  const close = async () => {
    await world.store.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { world, path, close };

  function partWorld(part: "bare" | "store", projectRoot: string, own: readonly Tool[]): World {
    const machine = realMachine();
    const box = toolbox({ projectRoot, settings: defaultSettings, sandbox: NO_SANDBOX, tools: own });
    const needs = {
      now: realClock.now,
      sha256,
      newId: () => "bench",
      ownerState: (owner: string) => machine.ownerState(owner),
    };
    mkdirSync(join(path, ".."), { recursive: true });
    const open = options.open ?? openDriver;
    return {
      clock: realClock,
      random: randomBytes,
      sha256,
      store:
        part === "bare"
          ? openMemoryStore(memoryDisk(), needs)
          : openSqliteStore({ path, durability: "strict", open, ...needs }),
      exports: noExports,
      inbox: noInbox,
      machine,
      model: () => model,
      tool: (name) => box.get(name),
      settings: defaultSettings,
      notify: (notice) => {
        if (notice.type === "event" && notice.event.type === "thread_completed") options.onEnd?.();
      },
    };
  }
}

function noteTool(run: RawTool): Tool {
  return defineTool({
    name: TOOL_NAME,
    description: "Keeps a note.",
    input: TOOL_SCHEMA,
    lanes: () => [],
    run,
  });
}

/** Creates threads and hosts them until nothing can move. */
export async function playThreads(world: World, count: number): Promise<void> {
  const ask = { directive, inputs: {}, tools: [TOOL_NAME], by: "bench" };
  const ids = Array.from({ length: count }, () => newThreadId(world, directive.name));
  await Promise.all(ids.map((id) => createThread(world, id, ask)));
  const [only] = ids;
  const scope = count === 1 && only !== undefined ? only : "*";
  await host(world, { scope, mayRecover: () => true, patienceMs: 1_000 });
  await requireDone(world, ids);
}

/** A bench of threads that failed would measure nothing. */
async function requireDone(world: World, ids: readonly string[]): Promise<void> {
  const done = await world.store.find({ statuses: ["completed"] });
  if (done.length >= ids.length) return;
  const [other] = await world.store.find({ statuses: ["suspended", "error"] });
  throw new Error(
    `${ids.length - done.length} threads did not complete: ${other?.error ?? "nobody says why"}`,
  );
}
