/** Every setting once: type, default, meaning. The table in docs/settings.md comes from here. */
import * as z from "zod/mini";

const count = (fallback: number, meaning: string) =>
  z._default(z.int().check(z.nonnegative()), fallback).register(meanings, { meaning });

const positive = (fallback: number, meaning: string) =>
  z._default(z.int().check(z.positive()), fallback).register(meanings, { meaning });

const meanings = z.registry<{ meaning: string }>();

export const Settings = z.object({
  durability: z._default(z.enum(["strict", "relaxed"]), "strict").register(meanings, {
    meaning:
      "strict: an acknowledged event survives a power cut. relaxed: it survives a crash of the process, and a power cut may lose the last moments.",
  }),
  recover: z._default(z.enum(["ask", "auto"]), "ask").register(meanings, {
    meaning: "Threads whose owner died: wait for a person, or resume at the next start.",
  }),
  retry: z.prefault(
    z.object({
      enabled: z
        ._default(z.boolean(), true)
        .register(meanings, { meaning: "Ask again after a transient failure." }),
      max_retries: count(3, "Retries after the first failure."),
      base_delay_ms: count(2_000, "First wait; doubles with each retry."),
      max_delay_ms: count(120_000, "No wait is longer than this."),
      rate_limited_ms: count(30_000, "Wait after a rate limit that came without a hint."),
    }),
    {},
  ),
  concurrency: z.prefault(
    z.object({ max_parallel_calls: positive(25, "Tool calls of one thread running at the same time.") }),
    {},
  ),
  model: z.prefault(
    z.object({
      max_output_tokens: positive(8_192, "Cap of one answer."),
      stall_timeout_seconds: positive(60, "A stream that is silent for this long has failed."),
      timeout_seconds: positive(1_800, "A request that takes longer than this in all has failed."),
    }),
    {},
  ),
  tool: z.prefault(
    z.object({
      timeout_seconds: positive(120, "A call that takes longer is stopped."),
      max_output_bytes: positive(16_777_216, "Output above this stops the tool."),
      model_output_chars: positive(30_000, "What the model is shown of one result; the journal keeps all."),
    }),
    {},
  ),
});

export type Settings = z.infer<typeof Settings>;

export const defaultSettings: Settings = z.parse(Settings, {});

export interface SettingLine {
  readonly key: string;
  readonly fallback: unknown;
  readonly meaning: string;
}

/** Flat list of all settings, for docs. */
export function settingLines(): SettingLine[] {
  return lines("", Settings, defaultSettings);
}

function lines(prefix: string, schema: z.ZodMiniObject, defaults: Record<string, unknown>): SettingLine[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const meta = meanings.get(field as z.ZodMiniType);
    const fallback = defaults[name];
    if (meta) return [{ key: prefix + name, fallback, meaning: meta.meaning }];
    const inner = (field as unknown as { def: { innerType: z.ZodMiniObject } }).def.innerType;
    return lines(`${prefix}${name}.`, inner, fallback as Record<string, unknown>);
  });
}
