/** The real World of a project, built from the rooms. */
import { makeOperatorToken } from "./config/operator.ts";
import { readProviders } from "./config/providers.ts";
import { readSettingsWithOrigins, type SettingsRead } from "./config/settings.ts";
import type { Model } from "./core/model.ts";
import { Problem } from "./core/problem.ts";
import { defaultSettings } from "./core/settings.ts";
import type { Tool } from "./core/tool.ts";
import type { Notice, World } from "./core/world.ts";
import { randomBytes, realClock, realMachine, sha256 } from "./machine/index.ts";
import { directivePorts } from "./real-directives.ts";
import { entryNamed } from "./real-entries.ts";
import { type RealModels, readRealModels } from "./real-models.ts";
import { readPolicies } from "./real-policies.ts";
import { realProcesses } from "./real-processes.ts";
import { realRedaction } from "./real-redaction.ts";
import { realSandbox } from "./real-sandbox.ts";
import { traced } from "./real-spans.ts";
import { isWritable, openAsGuest, openFiles, openStore, trustStateOf } from "./real-store.ts";
import { realTools } from "./real-tools.ts";
import { runHookCommand } from "./tool/hook-command.ts";

export interface RealWorldOptions {
  readonly root: string;
  readonly notify: (notice: Notice) => void;
  /** Who only looks is not stopped by settings that do not validate. */
  readonly purpose?: "look" | "work";
  /** From who has just found it out: finding out reads every file that is covered. */
  readonly trust?: ReturnType<typeof trustStateOf> | undefined;
  /** Tools and models of the program that opens it, beside those of the project. More may be added later. */
  readonly tools?: readonly Tool[];
  readonly models?: ReadonlyMap<string, Model>;
}

export interface RealWorld extends World, RealModels {
  readonly toolNames: readonly string[];
  /** Names of the tools and models that the program brought along. */
  readonly brought: () => readonly string[];
  /** What the files of the project say of its tools. */
  readonly toolFiles: Pick<ReturnType<typeof realTools>, "problem" | "look">;
  /** What is in force for the commands of this project. */
  readonly sandbox: ReturnType<typeof realSandbox>["state"];
  /** Finds that out beside what is done until `ready`. */
  seekSandbox(): void;
  readonly trusted: boolean;
  /** Files that changed since the yes to this project. */
  readonly changedFiles: readonly string[];
  /** Ends what was started for it, and the store. */
  close(): Promise<void>;
}

/**
 * The real World of one project. Nothing in an untrusted project is honoured: its settings are not read, its tools
 * not loaded, and who only looks does not write to its store.
 */
export function realWorld(options: RealWorldOptions): RealWorld {
  return traced(options, openWorld);
}

function openWorld(options: RealWorldOptions): RealWorld {
  const { root, purpose = "work" } = options;
  const machine = realMachine();
  const { trusted, changedFiles } = options.trust ?? trustStateOf(root);
  const trustedRoot = trusted ? root : undefined;
  const forgiving = <T>(act: () => T) => unlessLooking(options, act);
  const providers = forgiving(() => readProviders(trustedRoot)) ?? new Map();
  const redaction = realRedaction(providers);
  const notify = redaction.notify(options.notify);
  const read = settingsFor(options, trusted);
  const { settings } = read;
  const isGuest = purpose === "look" && !(trusted && isWritable(root));
  const store = isGuest ? openAsGuest(root, machine) : openStore(root, settings.durability, machine, notify);
  const hostEntry = entryNamed("tool-host.mjs");
  const sandbox = realSandbox({ root, settings, hostEntry, notify });
  const warn = (message: string) => notify({ type: "tool_ignored", message });
  const tools = realTools(
    { projectRoot: root, settings, sandbox, trusted, hostEntry, warn },
    options.tools ?? [],
  );
  if (trusted && purpose === "work") makeOperator(notify);
  const policies = readPolicies(trustedRoot, forgiving);
  const handed = options.models ?? new Map();
  const { model, ...models } = readRealModels({ root, trustedRoot, read, providers, forgiving, handed });
  const files = openFiles(root, notify);
  const runHook: NonNullable<World["runHook"]> = (hook, facts, at) =>
    runHookCommand(hook, facts, { ...at, cwd: root, sandbox });
  return {
    clock: realClock,
    random: randomBytes,
    sha256,
    ...redaction.ports({ store, model, runHook }),
    ...files,
    machine,
    ...models,
    tool: (name) => tools.get(name),
    processes: realProcesses({ root, sandbox, store, machine }),
    ...directivePorts({ root, ...models, tools: () => tools.names(), brought: () => broughtBy(options) }),
    brought: () => broughtBy(options),
    ready: async () => {
      if (purpose === "work") await sandbox.announce();
      await Promise.all([tools.ready(), policies.ready()]);
    },
    get rules() {
      return policies.rules();
    },
    hooks: policies.hooks,
    settings,
    notify,
    get toolNames() {
      return tools.names();
    },
    toolFiles: tools,
    sandbox: sandbox.state,
    seekSandbox: () => void sandbox.seek(),
    close: () => closeAll(tools, files, store),
    trusted,
    changedFiles,
  };
}

/** Files last, for what the tools still did; and the store after everything that reads it. */
async function closeAll(
  tools: Pick<ReturnType<typeof realTools>, "close">,
  { exports }: Pick<ReturnType<typeof openFiles>, "exports">,
  store: Pick<World["store"], "close">,
): Promise<void> {
  await tools.close();
  exports.flush();
  await store.close();
}

function broughtBy({ tools = [], models = new Map() }: RealWorldOptions): string[] {
  return [...tools.map(({ name }) => name), ...models.keys()];
}

/** Without a token no file answers a question; commands still do, so nothing is held up. */
function makeOperator(notify: RealWorldOptions["notify"]): void {
  try {
    makeOperatorToken();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    notify({ type: "settings_ignored", message: `${error.message} ${error.why ?? ""}`.trim() });
  }
}

function settingsFor(options: RealWorldOptions, trusted: boolean): Omit<SettingsRead, "origins"> {
  const read = () => readSettingsWithOrigins(trusted ? options.root : undefined);
  return unlessLooking(options, read) ?? { settings: defaultSettings, retryFor: () => defaultSettings.retry };
}

/** Who only looks is told that a file does not validate, and gets none of it. */
function unlessLooking<T>({ notify, purpose }: RealWorldOptions, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (purpose !== "look" || !(error instanceof Problem)) throw error;
    notify({ type: "settings_ignored", message: `${error.message} ${error.why ?? ""}`.trim() });
    return undefined;
  }
}
