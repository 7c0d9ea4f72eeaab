/** A real World on a folder of its own, with models and tools that take no time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Directive } from "../../src/core/directive.ts";
import type { Model } from "../../src/core/model.ts";
import type { Tool } from "../../src/core/tool.ts";
import type { Notice, World } from "../../src/core/world.ts";
import { createThread, defineTool, host, newThreadId, realWorld } from "../../src/inside.ts";
import { PROMPT, SYSTEM, TOOL_NAME, TOOL_SCHEMA, toolOutput } from "../payload.ts";

export const PRICE = { input: 1, output: 1, cache_read: 1, cache_write: 1 };

export function directiveOf(name: string, model: string, more: Partial<Directive> = {}): Directive {
  return {
    name,
    description: SYSTEM,
    model,
    limits: { turns: 1_000_000, tokens: 1_000_000_000_000, spend: "100000.00" },
    inputs: {},
    outputs: {},
    permissions: ["selvage.execute.tool.*"],
    ask: [],
    delegates: [],
    hooks: [],
    body: PROMPT,
    ...more,
  };
}

export const noteTool: Tool = defineTool({
  name: TOOL_NAME,
  description: "Keeps a note.",
  input: TOOL_SCHEMA,
  lanes: () => [],
  run: async () => toolOutput(),
});

export interface Scene {
  readonly world: World;
  readonly path: string;
  close(): Promise<void>;
}

export function openScene(
  models: ReadonlyMap<string, Model>,
  notify: (notice: Notice) => void = () => {},
  given?: string,
): Scene {
  const root = given ?? mkdtempSync(join(tmpdir(), "selvage-bench-"));
  const opened = realWorld({ root, tools: [noteTool], models, notify });
  return {
    world: { ...opened },
    path: join(root, ".ai", "threads", "registry.db"),
    close: async () => {
      await opened.close();
      if (given === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}

export async function start(world: World, directive: Directive): Promise<string> {
  const id = newThreadId(world, directive.name);
  await createThread(world, id, { directive, inputs: {}, tools: [TOOL_NAME], by: "bench" });
  return id;
}

/** Hosts everything until it is stopped. */
export function hosting(world: World): { stop(): Promise<void> } {
  const over = new AbortController();
  const done = host(world, {
    scope: "*",
    mayRecover: () => true,
    patienceMs: 1_000,
    stays: true,
    signal: over.signal,
  });
  return {
    stop: async () => {
      over.abort();
      await done;
    },
  };
}
