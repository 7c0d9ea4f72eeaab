/** Replays a thread of a project with what its files say now. Reads files and runs nothing: modules are not loaded. */
import { type Policy, readPolicy } from "./config/policy-file.ts";
import type { Hook } from "./core/hook.ts";
import type { Limits } from "./core/limit.ts";
import type { Replayed } from "./core/replayed.ts";
import type { Settings } from "./core/settings.ts";
import type { World } from "./core/world.ts";
import type { RealWorld } from "./real-world.ts";
import { replayThread } from "./replay/index.ts";

interface Replaying {
  readonly root: string;
  readonly threadId: string;
  /** Files that are tried out, the last over the first. */
  readonly policies: readonly string[];
}

export async function replayReal(
  world: RealWorld,
  { root, threadId, policies }: Replaying,
): Promise<Replayed> {
  const { store, sha256, tool, hooks } = world;
  const [row] = await store.find({ threadId, limit: 1 });
  const found = (await hooks?.(row?.directive ?? "")) ?? [];
  const trustedRoot = world.trusted ? root : undefined;
  const tried = await Promise.all(policies.map((path) => readPolicy(path, trustedRoot)));
  const said = tried.flatMap((policy) => policy.said);
  return replayThread({
    ...{ threadId, store, sha256, tool },
    settings: settingsWith(world.settings, said),
    model: modelWith(world.model, said),
    // The world's were read with the hooks.
    rules: tried.findLast(({ rules }) => rules)?.rules ?? world.rules,
    hooks: tried.reduce(hooksWith, found),
    isWhatIf: policies.length > 0,
    limits: limitsIn(said),
  });
}

function settingsWith(settings: Settings, said: Policy["said"]): Settings {
  const changed = structuredClone(settings) as unknown as Record<string, unknown>;
  for (const { key, value } of said) {
    const path = key.split(".");
    const name = path.pop() ?? key;
    // Every section is there: what was read has all defaults.
    const section = path.reduce((part, step) => part[step] as Record<string, unknown>, changed);
    section[name] = value;
  }
  return changed as unknown as Settings;
}

/** What a provider says for itself stands below. */
function modelWith(model: World["model"], said: Policy["said"]): World["model"] {
  const retry = Object.fromEntries(
    said.flatMap(({ key, value }) => (key.startsWith("retry.") ? [[key.slice("retry.".length), value]] : [])),
  );
  return (name) => {
    const found = model(name);
    return found?.retry ? { ...found, retry: { ...found.retry, ...retry } } : found;
  };
}

function limitsIn(said: Policy["said"]): Limits {
  const prefix = "limits.defaults.";
  return Object.fromEntries(
    said.flatMap(({ key, value }) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value as Limits[string]]] : [],
    ),
  );
}

function hooksWith(hooks: readonly Hook[], { hooks: tried }: Policy): readonly Hook[] {
  const ids = tried.map(({ id }) => id);
  return [...hooks.filter(({ id }) => !ids.includes(id)), ...tried];
}
