import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ahead } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import type { Failure } from "./failure.ts";
import type { HookAction } from "./hook.ts";
import { backoff, decideFailure, retryDelay, retryPolicy } from "./retry.ts";
import { classify } from "./rule.ts";
import { defaultSettings } from "./settings.ts";
import { newThread, type Target, type Thread } from "./thread.ts";

const policy = retryPolicy(defaultSettings.retry, {});
const NOW = Date.UTC(2026, 0, 1);
const later = (ms: number) => new Date(NOW + ms).toISOString();
const DAY = 86_400_000;

test("2, 4, 8 seconds by default", () => {
  expect([1, 2, 3].map((attempt) => backoff(attempt, policy))).toEqual([2_000, 4_000, 8_000]);
});

test("backoff never falls and never passes its cap", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), (attempt) => {
      const [now, next] = [backoff(attempt, policy), backoff(attempt + 1, policy)];
      expect(next).toBeGreaterThanOrEqual(now);
      expect(next).toBeLessThanOrEqual(policy.maxDelayMs);
    }),
  );
});

test("what a directive says about retries wins over the settings", () => {
  expect(retryPolicy(defaultSettings.retry, { retry_max: 7, backoff_base: 0.5 })).toMatchObject({
    maxRetries: 7,
    baseDelayMs: 500,
  });
  expect(retryPolicy({ ...defaultSettings.retry, enabled: false }, { retry_max: 7 }).maxRetries).toBe(0);
});

const http = (status: number, more: Partial<Failure> = {}): Failure => ({
  kind: "http",
  message: "no",
  status,
  ...more,
});

test.each([
  [http(429, { retryAfterMs: 1_500 }), 1_500],
  [http(429), 30_000],
  [http(503), 2_000],
  [http(503, { retryAfterMs: 2_592_000_000 }), 2_592_000_000],
  [http(503, { retryAfterMs: -5 }), 2_000],
  [http(503, { retryAfterMs: 0 }), 2_000],
  [http(429, { type: "insufficient_quota" }), 60_000],
])("%j waits %i ms", (failure, expected) => {
  expect(retryDelay(1, { classified: classify(failure), failure }, policy)).toBe(expected);
});

const OWN: Target = { model: "m", key: 0 };
const created = { type: "thread_created", model: "m", tools: [], run: 1 } as unknown as NewEvent;
const opening: NewEvent[] = [
  created,
  { type: "cognition_in", source: "directive", text: "Go." },
  { type: "thread_started", run: 1 },
  { type: "step_start", turn: 1 },
];
const fold = (events: readonly NewEvent[]): Thread =>
  events.reduce((thread, event) => ahead(thread, event, later(0)), newThread("work-1-aaaaaa"));

interface Chain {
  readonly targets?: readonly Target[];
  readonly enabled?: boolean;
  readonly action?: HookAction;
}

/** The events of one failure after another, as far as the thread goes. */
function chain(failures: readonly Failure[], { targets = [OWN], enabled = true, action }: Chain = {}) {
  let thread = fold(opening);
  let names = 0;
  const needs = {
    now: NOW,
    newApprovalId: () => {
      names += 1;
      return `ap_${names}`;
    },
    sha256: (text: string) => text,
    timeoutSeconds: 3_600,
    onTimeout: "remind" as const,
    policy: retryPolicy({ ...defaultSettings.retry, enabled }, {}),
    targets,
  };
  return failures.map((failure) => {
    const events = decideFailure(thread, { failure, classified: classify(failure), action }, needs);
    thread = events.reduce((before, event) => ahead(before, event, later(0)), thread);
    return events;
  });
}
const last = (chains: readonly NewEvent[][]) => chains.at(-1) ?? [];
const types = (events: readonly NewEvent[]) => events.map((event) => event.type);
const delays = (chains: readonly NewEvent[][]) =>
  chains.flat().flatMap((event) => (event.type === "auto_retry_start" ? [event.delayMs] : []));
const suspended = (events: readonly NewEvent[]) => events.find((event) => event.type === "thread_suspended");

describe("what a failed request leads to", () => {
  test("transient: three retries with growing waits, then suspended with a question", () => {
    const chains = chain(Array.from({ length: 4 }, () => http(529)));
    expect(delays(chains)).toEqual([2_000, 4_000, 8_000]);
    expect(types(last(chains))).toEqual([
      "error_classified",
      "auto_retry_end",
      "thread_suspended",
      "approval_requested",
    ]);
    expect(last(chains)[1]).toMatchObject({ success: false, attempt: 3, finalError: "no" });
    expect(last(chains)[2]).toMatchObject({
      reason: "error",
      waits_for: { approval_id: "ap_1", how: "selvage approve ap_1" },
    });
  });

  test("attempts count requests in error_classified and retries in auto_retry_start, from 1", () => {
    const numbers = chain([http(503), http(503)]).map(([classified, retry]) => [classified, retry]);
    expect(numbers).toMatchObject([
      [
        { attempt: 1 },
        { attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: "no", wakeAt: later(2_000) },
      ],
      [{ attempt: 2 }, { attempt: 2, maxAttempts: 3, delayMs: 4_000 }],
    ]);
  });

  test("a refused key is asked once and named", () => {
    const [events] = chain([http(401, { type: "authentication_error" })]);
    expect(types(events ?? [])).toEqual(["error_classified", "thread_failed"]);
    expect(events?.[1]).toMatchObject({ code: "E_AUTH" });
  });

  test("what nobody knows is permanent", () => {
    expect(last(chain([http(418)])).at(-1)).toMatchObject({ type: "thread_failed", code: "E_MODEL_FAILED" });
  });

  test("quota: once after 60 s, then suspended", () => {
    const quota = http(429, { type: "insufficient_quota" });
    const chains = chain([quota, quota]);
    expect(delays(chains)).toEqual([60_000]);
    expect(suspended(last(chains))).toMatchObject({ reason: "quota" });
    expect(suspended(last(chains))).not.toMatchObject({ waits_for: { until: expect.anything() } });
  });

  test("a hint up to ten minutes is waited for, a longer one suspends until then", () => {
    expect(delays(chain([http(429, { retryAfterMs: 600_000 })]))).toEqual([600_000]);
    const [events] = chain([http(429, { retryAfterMs: 30 * DAY })]);
    expect(suspended(events ?? [])).toMatchObject({
      reason: "quota",
      waits_for: { until: later(30 * DAY), follows: "resume" },
    });
  });

  test("a provider that asks for a long wait again and again ends up with a person", () => {
    const far = http(429, { retryAfterMs: DAY });
    const chains = chain([far, far, far, far]);
    expect(chains.map((events) => suspended(events) !== undefined)).toEqual([true, true, true, true]);
    expect(suspended(last(chains))).toMatchObject({ reason: "error" });
    expect(suspended(last(chains))).not.toMatchObject({ waits_for: { until: expect.anything() } });
  });

  test("retry turned off: the first transient failure suspends, without a word about retries", () => {
    const [events] = chain([http(503)], { enabled: false });
    expect(types(events ?? [])).toEqual(["error_classified", "thread_suspended", "approval_requested"]);
    expect(suspended(events ?? [])).toMatchObject({ reason: "error" });
  });

  test("a context that is too long is not asked again as it is", () => {
    const [events] = chain([http(400, { type: "context_length_exceeded" })]);
    expect(types(events ?? [])).not.toContain("auto_retry_start");
    expect(suspended(events ?? [])).toMatchObject({ reason: "error" });
  });
});

describe("another key, another model (E9)", () => {
  const targets = [OWN, { model: "m", key: 1 }, { model: "n", key: 0 }];
  const switches = (chains: readonly NewEvent[][]) =>
    chains.flat().flatMap((event) => (event.type === "auto_retry_start" ? [event.target] : []));

  test("key, then model, at once the first time round; then the waits are kept, and it ends", () => {
    const chains = chain(
      Array.from({ length: 4 }, () => http(429)),
      { targets },
    );
    expect(delays(chains)).toEqual([0, 0, 30_000]);
    expect(switches(chains)).toEqual([targets[1], targets[2], targets[0]]);
    expect(suspended(last(chains))).toMatchObject({ reason: "error" });
  });

  test("a used-up quota goes round too, and so does a wait that is too long", () => {
    expect(delays(chain([http(402), http(429, { retryAfterMs: DAY })], { targets }))).toEqual([0, 0]);
  });

  test("an overloaded server is no reason to switch", () => {
    expect(switches(chain([http(529)], { targets }))).toEqual([undefined]);
  });

  test("two dead providers never spin", () => {
    const two = targets.slice(0, 2);
    const chains = chain(
      Array.from({ length: 4 }, () => http(402)),
      { targets: two },
    );
    expect(delays(chains)).toEqual([0, 60_000, 60_000]);
    expect(suspended(last(chains))).toMatchObject({ reason: "quota" });
  });
});

describe("a hook on the error decides first (L2)", () => {
  test.each<[HookAction, Failure, string]>([
    ["fail", http(503), "thread_failed"],
    ["abort", http(503), "thread_failed"],
    ["suspend", http(503), "approval_requested"],
    ["escalate", http(503), "approval_requested"],
    ["continue", http(503), "auto_retry_start"],
    ["retry", http(503), "auto_retry_start"],
    ["retry", http(418), "auto_retry_start"],
    ["retry", http(401), "thread_failed"],
    ["retry", http(402), "auto_retry_start"],
    ["retry", http(400, { type: "context_length_exceeded" }), "approval_requested"],
  ])("%s of %j ends in %s", (action, failure, type) => {
    expect(last(chain([failure], { action })).at(-1)?.type).toBe(type);
  });
});
