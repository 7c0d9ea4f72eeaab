/** Every setting with its value, who says so, and what it stands over. */
import type { SettingOrigin, SettingShown, SettingsShown } from "../core/configuration.ts";
import { settingLines } from "../core/settings.ts";
import type { ConfigPlaces } from "./layers.ts";
import { lookAtProviders, type RetrySaid } from "./providers.ts";
import { lookAtSettings } from "./settings.ts";

export function showSettings(root: string | undefined, places: ConfigPlaces = {}): SettingsShown {
  const { origins, wrong } = lookAtSettings(root, places);
  const { retries, wrong: wrongProviders } = lookAtProviders(root, places);
  const values = settingLines().flatMap(({ key, fallback }) => {
    const builtIn: SettingOrigin = { layer: "built-in", file: null, line: null, value: fallback };
    const said: readonly SettingOrigin[] = [...(origins.get(key) ?? []), builtIn];
    const own = retries.filter((retry) => retry.key === key);
    const providers = [...new Set(own.map(({ provider }) => provider))];
    return [
      shown(key, null, said),
      ...providers.map((id) =>
        shown(
          key,
          id,
          withProvider(
            said,
            own.filter(({ provider }) => provider === id),
          ),
        ),
      ),
    ];
  });
  return { values, wrong: [...wrong, ...wrongProviders] };
}

/** E4: over the user's, under the project's. */
function withProvider(said: readonly SettingOrigin[], own: readonly RetrySaid[]): SettingOrigin[] {
  const project = said.filter(({ layer }) => layer === "project");
  const below = said.filter(({ layer }) => layer !== "project");
  const middle = own.map(({ file, line, value }) => ({ layer: "provider", file, line, value }) as const);
  return [...project, ...middle, ...below];
}

function shown(key: string, provider: string | null, said: readonly SettingOrigin[]): SettingShown {
  const [origin, ...overrides] = said;
  if (!origin) throw new Error(`${key} has no default`);
  return { key, provider, value: origin.value, origin, overrides };
}
