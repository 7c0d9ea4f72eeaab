/** What a project stands on: Node, SQLite, the provider's keys, the clock and the terminal. */
import type { Check } from "../../../core/diagnosis.ts";
import type { ProviderFacts, Reached, Surroundings } from "../../../core/surroundings.ts";
import { duration } from "../moment.ts";
import type { Session } from "../session.ts";
import { bad, good, odd, skipped } from "./check.ts";

/** A clock that is off by more makes due times and "2m ago" wrong. */
const CLOCK_MS = 5_000;

export function runtimeChecks(surroundings: Surroundings): Check[] {
  const { node, nodeFloor, platform, sqlite, sqliteIsSafe } = surroundings.runtime();
  return [
    isAtLeast(node, nodeFloor)
      ? good("runtime.node", `node ${node} on ${platform}`)
      : bad("runtime.node", `node ${node} is too old: ${nodeFloor} or later`),
    sqliteIsSafe
      ? good("runtime.sqlite", `sqlite ${sqlite}`)
      : bad("runtime.sqlite", `sqlite ${sqlite} can damage a store`, {
          cmd: "selvage explain E_SQLITE_UNSAFE",
        }),
  ];
}

export interface KeyChecks {
  readonly checks: readonly Check[];
  /** Our time less that of the first provider that said its own; null when none did. */
  readonly offBy: number | null;
}

/** No key is printed, and none is sent to find out whether somebody answers. */
export async function keyChecks(
  { surroundings }: { readonly surroundings: Surroundings },
  trustedRoot: string | undefined,
  { offline, now }: { readonly offline: boolean; readonly now: () => number },
): Promise<KeyChecks> {
  let offBy: number | null = null;
  const checks: Check[] = [];
  for (const provider of surroundings.providers(trustedRoot)) {
    const isAsked = !offline && provider.keys.some(({ isSet }) => isSet);
    const reached = isAsked ? await surroundings.reach(provider.address) : undefined;
    if (reached && "ms" in reached && reached.date !== null) offBy ??= now() - reached.date;
    checks.push(keyCheck(provider, reached));
  }
  return { checks, offBy };
}

function keyCheck({ id, keys, keyWithheld, address }: ProviderFacts, reached: Reached | undefined): Check {
  const name = `keys.${id}` as const;
  if (keyWithheld !== null) return odd(name, `${id}: ${keyWithheld}`);
  if (keys.length === 0) return good(name, `${id} wants no key`);
  const said = keys.map(
    ({ variable, isSet }) => `${variable} ${isSet ? "is set (not printed)" : "is not set"}`,
  );
  if (!keys.some(({ isSet }) => isSet)) return skipped(name, said.join(" · "));
  if (!reached) return good(name, said.join(" · "));
  if ("failed" in reached) {
    return odd(name, `${said.join(" · ")} · ${new URL(address).host} does not answer: ${reached.failed}`);
  }
  return good(name, `${said.join(" · ")} · answered in ${reached.ms} ms`);
}

/** Against what was stored last, and against a provider where one was asked. */
export function clockCheck(now: number, latest: string | undefined, offBy: number | null): Check {
  const ahead = latest === undefined ? 0 : Date.parse(latest) - now;
  if (ahead > CLOCK_MS) {
    return bad("clock.time", `the clock is ${duration(ahead)} behind what is stored: it was set back`, {
      detail: ["Due times are late by as much, and ages are wrong."],
    });
  }
  if (offBy === null) return good("clock.time", "nothing stored is later than now");
  // A provider tells whole seconds.
  if (Math.abs(offBy) <= CLOCK_MS) return good("clock.time", `${Math.round(Math.abs(offBy) / 1_000)} s off`);
  return odd(
    "clock.time",
    `${duration(Math.abs(offBy))} ${offBy > 0 ? "ahead" : "behind"} of a provider's clock`,
  );
}

export function terminalCheck({ terminal }: Session): Check {
  const { columns, look, isLive } = terminal;
  if (process.stdout.isTTY !== true) return skipped("terminal.size", "stdout is no terminal");
  const parts = [
    `${columns}×${process.stdout.rows ?? "?"}`,
    look.ascii ? "ASCII" : "UTF-8",
    look.colour.out ? "colours" : "no colours",
    isLive ? "live lines" : "no live lines",
  ];
  if (columns >= 60) return good("terminal.size", parts.join(", "));
  return odd("terminal.size", `${parts.join(", ")}: tables want 60 columns`);
}

function isAtLeast(version: string, floor: string): boolean {
  const have = version.split(".").map(Number);
  const want = floor.split(".").map(Number);
  const at = want.findIndex((part, index) => part !== (have[index] ?? 0));
  return at < 0 || (have[at] ?? 0) > (want[at] ?? 0);
}
