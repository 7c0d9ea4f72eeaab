/** Every setting once: type, default, meaning, and what a project may do to it. docs/settings.md comes from here. */
import * as z from "zod/mini";
import { escalation, lower, type Narrowing, onwards, sooner, towards } from "./narrowing.ts";

const count = (fallback: number, meaning: string, narrows?: Narrowing) =>
  z._default(z.int().check(z.nonnegative()), fallback).register(meanings, { meaning, narrows });

const positive = (fallback: number, meaning: string, narrows?: Narrowing) =>
  z
    ._default(z.int().check(z.positive()), fallback)
    .register(meanings, { meaning, ...(narrows ? { narrows } : {}) });

const money = (fallback: string, meaning: string, narrows: Narrowing) =>
  z._default(amount, fallback).register(meanings, { meaning, narrows });

const meanings = z.registry<{ meaning: string; narrows?: Narrowing | undefined }>();

const amount = z.string().check(z.regex(/^\d{1,9}(\.\d{1,9})?$/, 'expected an amount such as "1.50"'));

/** Per limit: a number, or dollars as text. */
const PerLimit = z.strictObject({
  turns: z.optional(z.int().check(z.positive())),
  tokens: z.optional(z.int().check(z.positive())),
  spend: z.optional(amount),
  spawns: z.optional(z.int().check(z.positive())),
  duration: z.optional(z.int().check(z.positive())),
  depth: z.optional(z.int().check(z.positive())),
});
export type PerLimit = z.infer<typeof PerLimit>;

const Escalation = z.union(
  [z.enum(["double", "deny"]), z.strictObject({ step: PerLimit }), z.strictObject({ ceiling: PerLimit })],
  "expected double, deny, a step or a ceiling",
);
export type Escalation = z.infer<typeof Escalation>;

export const Settings = z.object({
  // Not narrowed: what a power cut may lose is the project's own journal. No money, right or trust hangs on it.
  durability: z._default(z.enum(["strict", "relaxed"]), "strict").register(meanings, {
    meaning:
      "strict: an acknowledged event survives a power cut. relaxed: it survives a crash of the process, and a power cut may lose the last moments.",
  }),
  recover: z._default(z.enum(["ask", "auto"]), "ask").register(meanings, {
    meaning: "Threads whose owner died: wait for a person, or resume at the next start.",
    // To resume spends the user's money without a question: that is the user's to say.
    narrows: towards("ask"),
  }),
  sandbox: z._default(z.enum(["auto", "required", "off"]), "auto").register(meanings, {
    meaning:
      "Around the commands of `bash`, of tools, of their hosts and of hooks: the project can be written, `.ai/threads` and the rest of the machine only read, Selvage's own state not seen. auto: where bubblewrap works, and it is said where it does not. required: nothing runs without.",
    narrows: onwards("off", "auto", "required"),
  }),
  retry: z.prefault(
    z.object({
      enabled: z
        ._default(z.boolean(), true)
        .register(meanings, { meaning: "Ask again after a transient failure." }),
      max_retries: count(3, "Retries after the first failure."),
      base_delay_ms: count(2_000, "First wait; doubles with each retry."),
      max_delay_ms: count(120_000, "The doubling stops here."),
      fixed_ms: count(5_000, "Wait of rules with the policy `fixed`."),
      rate_limited_ms: count(30_000, "Wait after a rate limit that came without a hint."),
      quota_ms: count(60_000, "The one wait after a used-up quota, before the thread is suspended."),
      max_wait_ms: count(
        600_000,
        "A provider that asks for a longer wait suspends the thread until then. No host waits longer for a timer.",
      ),
    }),
    {},
  ),
  limits: z.prefault(
    z.object({
      defaults: z.prefault(
        z.object({
          turns: count(25, "Turns of a thread, unless its directive says otherwise.", lower),
          tokens: count(200_000, "Tokens, in and out, over all turns.", lower),
          spend: money("1.00", "Dollars.", lower),
          spawns: count(10, "Children it may start.", lower),
          duration: count(1_800, "Seconds at work; waiting does not count.", lower),
          depth: count(3, "Generations below it.", lower),
        }),
        {},
      ),
      escalation: z._default(Escalation, "double").register(meanings, {
        meaning:
          "What is proposed when a limit is reached: `double` it, a `{step}` per limit, double up to a `{ceiling}` per limit, or `deny`: nobody is asked.",
        narrows: escalation,
      }),
    }),
    {},
  ),
  approvals: z.prefault(
    z.object({
      timeout_seconds: positive(3_600, "An open question is brought to mind again after this."),
      on_timeout: z._default(z.enum(["remind", "deny"]), "remind").register(meanings, {
        meaning:
          "An unanswered question stays open, or counts as a no, which then says that nobody answered.",
        narrows: towards("deny"),
      }),
    }),
    {},
  ),
  loop: z.prefault(
    z.object({
      ask_after: count(
        5,
        "The same call with the same result this often in a row: a person is asked. 0: never.",
        sooner,
      ),
    }),
    {},
  ),
  concurrency: z.prefault(
    z.object({
      max_parallel_calls: positive(25, "Tool calls of one thread running at the same time."),
      max_children: positive(25, "Children of one thread that may live at the same time.", lower),
    }),
    {},
  ),
  continuation: z.prefault(
    z.object({
      trigger_threshold: z._default(z.number().check(z.gt(0), z.lte(1)), 0.9).register(meanings, {
        meaning: "A conversation that fills this part of the window is made shorter, or handed on.",
      }),
      keep_output_tokens: count(
        40_000,
        "Results of tools that stay when older ones are left out to save room.",
      ),
      resume_ceiling_tokens: positive(16_000, "Notes and last exchanges that a hand-off carries over."),
      summary_directive: z._default(z.string(), "thread_summary").register(meanings, {
        meaning: "Makes the notes; the project's own of this name, or the built-in one.",
      }),
      summary_model: z._default(z.string(), "fast").register(meanings, { meaning: "Its model, or a tier." }),
      summary_max_tokens: positive(4_000, "What of the notes is carried over."),
      summary_limit_overrides: z.prefault(
        z.object({
          turns: positive(3, "Turns that the notes may take."),
          // Not narrowed: it is taken out of the cap of the thread that they are about.
          spend: z._default(amount, "0.02").register(meanings, { meaning: "Dollars that they may cost." }),
        }),
        {},
      ),
    }),
    {},
  ),
  model: z.prefault(
    z.object({
      fallback: z._default(z.array(z.string()), []).register(meanings, {
        meaning: "Models to go on with, in this order, when one is rate limited or its quota is used up.",
      }),
      max_output_tokens: positive(8_192, "Cap of one answer."),
      min_output_tokens: positive(
        1_024,
        "An answer that the spend limit would cut shorter than this is not asked for.",
      ),
      stall_timeout_seconds: positive(60, "A stream that is silent for this long has failed."),
      timeout_seconds: positive(1_800, "A request that takes longer than this in all has failed."),
    }),
    {},
  ),
  telemetry: z.prefault(
    z.object({
      spans: z._default(z.enum(["off", "on"]), "off").register(meanings, {
        meaning:
          "on: OpenTelemetry spans of threads, requests and calls, for the provider that you register; see docs/telemetry.md.",
      }),
      content: z._default(z.boolean(), false).register(meanings, {
        meaning: "Whether spans have prompts, answers, arguments and results in them, without secrets.",
        // What leaves the machine is the user's to say.
        narrows: towards(false),
      }),
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

/** What a provider may say about retries for itself: the same keys, none of them with a default. */
export type RetryPart = { readonly [K in keyof Settings["retry"]]?: Settings["retry"][K] | undefined };
export const RetryPart = z.object(
  Object.fromEntries(
    Object.entries(Settings.shape.retry.def.innerType.shape).map(([name, field]) => [
      name,
      z.optional(field.def.innerType),
    ]),
  ),
) as unknown as z.ZodMiniType<RetryPart>;

export const defaultSettings: Settings = z.parse(Settings, {});

export interface SettingLine {
  readonly key: string;
  readonly fallback: unknown;
  readonly meaning: string;
  /** Of what a project may only narrow. */
  readonly narrows?: Narrowing | undefined;
}

/** Flat list of all settings, in the order of their declaration. */
export function settingLines(): SettingLine[] {
  return lines("", Settings, defaultSettings);
}

function lines(prefix: string, schema: z.ZodMiniObject, defaults: Record<string, unknown>): SettingLine[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const meta = meanings.get(field as z.ZodMiniType);
    const fallback = defaults[name];
    if (meta) return [{ key: prefix + name, fallback, ...meta }];
    const inner = (field as unknown as { def: { innerType: z.ZodMiniObject } }).def.innerType;
    return lines(`${prefix}${name}.`, inner, fallback as Record<string, unknown>);
  });
}
