// Whatever the layers say: what narrows is never widened, and an origin names the layer whose value won.
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultSettings, type PerLimit, settingLines } from "../core/settings.ts";
import type { LayerName } from "./layers.ts";
import { type SettingsSource, settingsOf } from "./settings.ts";

const whole = fc.integer({ min: 1, max: 60 });
const dollars = fc.constantFrom("0", "0.000000001", "0.5", "0.50", "1.00", "1.000000001", "7");
const perLimit = fc.record(
  { turns: whole, spend: dollars, depth: whole },
  { requiredKeys: [] },
) as fc.Arbitrary<PerLimit>;

const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  recover: fc.constantFrom("ask", "auto"),
  durability: fc.constantFrom("strict", "relaxed"),
  sandbox: fc.constantFrom("off", "auto", "required"),
  "retry.max_retries": fc.nat(9),
  "limits.defaults.turns": fc.nat(60),
  "limits.defaults.spend": dollars,
  "limits.escalation": fc.oneof(
    fc.constantFrom("double", "deny"),
    perLimit.map((step) => ({ step })),
    perLimit.map((ceiling) => ({ ceiling })),
  ),
  "approvals.on_timeout": fc.constantFrom("remind", "deny"),
  "loop.ask_after": fc.nat(9),
  "telemetry.content": fc.boolean(),
};

const statements = fc
  .record(VALUES, { requiredKeys: [] })
  .map((said) => Object.entries(said).map(([key, value]) => ({ key, value, line: 1, column: 1 })));

const layer = (name: LayerName) =>
  statements.map((said): SettingsSource => ({ layer: name, file: `${name}.yaml`, says: { said } }));

const layers = fc.tuple(layer("system"), layer("user"), layer("project"));

/** How much a value allows, by a reckoning of its own: what is proposed when a limit is reached at 10. */
const proposed = (policy: unknown, limit: keyof PerLimit): number => {
  if (policy === "deny") return 0;
  if (policy === "double") return Number.POSITIVE_INFINITY;
  const { step, ceiling } = policy as { step?: PerLimit; ceiling?: PerLimit };
  const most = Number((step ?? ceiling)?.[limit] ?? Number.POSITIVE_INFINITY);
  return step && most === 0 ? Number.POSITIVE_INFINITY : most;
};

const LOOSENESS: Readonly<Record<string, (value: unknown) => readonly number[]>> = {
  recover: (value) => [value === "auto" ? 1 : 0],
  sandbox: (value) => [["required", "auto", "off"].indexOf(String(value))],
  "limits.defaults.turns": (value) => [Number(value)],
  "limits.defaults.spend": (value) => [Number(value)],
  "limits.escalation": (value) =>
    (["turns", "spend", "depth", "tokens"] as const).map((limit) => proposed(value, limit)),
  "approvals.on_timeout": (value) => [value === "deny" ? 0 : 1],
  "telemetry.content": (value) => [value === true ? 1 : 0],
  "loop.ask_after": (value) => [value === 0 ? Number.POSITIVE_INFINITY : Number(value)],
};

const settingAt = (settings: object, key: string) =>
  key.split(".").reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], settings);

test("with a project nothing that narrows is looser than without it", () => {
  fc.assert(
    fc.property(layers, ([system, user, project]) => {
      const without = settingsOf([system, user]).settings;
      const withProject = settingsOf([system, user, project]).settings;
      for (const [key, looseness] of Object.entries(LOOSENESS)) {
        const below = looseness(settingAt(without, key));
        looseness(settingAt(withProject, key)).forEach((above, index) => {
          expect(above, key).toBeLessThanOrEqual(below[index] ?? 0);
        });
      }
    }),
  );
});

test("every setting that narrows is generated here, or is like one that is", () => {
  const narrowing = settingLines().filter(({ narrows }) => narrows);
  const rules = new Set(narrowing.map(({ narrows }) => narrows?.says));
  const seen = narrowing.filter(({ key }) => Object.hasOwn(LOOSENESS, key));
  expect(new Set(seen.map(({ narrows }) => narrows?.says))).toEqual(rules);
});

test("the first origin is the highest layer that speaks, and its value is the setting", () => {
  fc.assert(
    fc.property(layers, (sources) => {
      const { settings, origins, wrong } = settingsOf(sources);
      const heard = sources.filter(({ file }) => !wrong.some((found) => found.file === file));
      for (const { key } of settingLines()) {
        const speaking = heard.filter(
          ({ says }) => "said" in says && says.said.some((one) => one.key === key),
        );
        const named = origins.get(key) ?? [];
        expect(named.map(({ layer }) => layer)).toEqual(speaking.map(({ layer }) => layer).reverse());
        const expected = named[0] ? named[0].value : settingAt(defaultSettings, key);
        expect(settingAt(settings, key)).toEqual(expected);
      }
    }),
  );
});
