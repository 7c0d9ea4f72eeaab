/** The real World of a project, built from the rooms. */
import { join } from "node:path";
import { readSettings } from "./config/settings.ts";
import { isTrusted } from "./config/trust.ts";
import { randomName } from "./core/id.ts";
import { Problem } from "./core/problem.ts";
import { defaultSettings, type Settings } from "./core/settings.ts";
import type { Store } from "./core/store.ts";
import type { Tool } from "./core/tool.ts";
import type { Machine, Notice, World } from "./core/world.ts";
import { randomBytes, realClock, realMachine, sha256 } from "./machine/index.ts";
import { modelFor } from "./provider/models.ts";
import { openExports } from "./store/exports.ts";
import { openInbox } from "./store/inbox.ts";
import { openSqliteStore } from "./store/stores/sqlite.ts";
import { toolbox } from "./tool/toolbox.ts";

export interface RealWorldOptions {
  readonly root: string;
  readonly notify: (notice: Notice) => void;
  /** Who only looks is not stopped by settings that do not validate. */
  readonly purpose?: "look" | "work";
  /** Tools beside the built-in ones. */
  readonly tools?: readonly Tool[];
}

export interface RealWorld extends World {
  readonly toolNames: readonly string[];
  readonly trusted: boolean;
}

export function threadsFolder(root: string): string {
  return join(root, ".ai", "threads");
}

export function storePath(root: string): string {
  return join(threadsFolder(root), "registry.db");
}

/**
 * The real World of one project. Nothing in an untrusted project is honoured: its settings are not read. The store
 * is opened first, because trust is a matter of its id as well as of its path.
 */
export function realWorld(options: RealWorldOptions): RealWorld {
  const { root, notify } = options;
  const machine = realMachine();
  const open = (durability: Settings["durability"]) => openStore(root, durability, machine);
  let store = open("strict");
  const trusted = isTrusted(root, store.storeId);
  const settings = settingsFor(options, trusted);
  if (settings.durability !== "strict") {
    store.close();
    store = open(settings.durability);
  }
  const tools = toolbox({ projectRoot: root, settings, tools: options.tools ?? [] });
  const folder = threadsFolder(root);
  return {
    clock: realClock,
    random: randomBytes,
    sha256,
    store,
    exports: openExports(folder, (message) => notify({ type: "export_failed", message })),
    inbox: openInbox(folder),
    machine,
    model: modelFor(root, realClock),
    tool: (name) => tools.get(name),
    settings,
    notify,
    toolNames: [...tools.keys()],
    trusted,
  };
}

function settingsFor({ root, notify, purpose }: RealWorldOptions, trusted: boolean): Settings {
  try {
    return readSettings(trusted ? root : undefined);
  } catch (error) {
    if (purpose !== "look" || !(error instanceof Problem)) throw error;
    notify({ type: "settings_ignored", message: `${error.message} ${error.why ?? ""}`.trim() });
    return defaultSettings;
  }
}

function openStore(root: string, durability: Settings["durability"], machine: Machine): Store {
  return openSqliteStore({
    path: storePath(root),
    durability,
    now: realClock.now,
    sha256,
    newId: () => randomName(randomBytes(20)),
    ownerState: (owner) => machine.ownerState(owner),
  });
}
