// Retries, limits of providers and the gate over real sockets, by real clocks, on a real store.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { initProject } from "../../src/config/init.ts";
import type { Event } from "../../src/core/event.ts";
import type { ThreadId } from "../../src/core/id.ts";
import { type RealWorld, realWorld } from "../../src/real-world.ts";
import { createThread, host, newThreadId } from "../../src/runtime/index.ts";
import { STORY_DIRECTIVE } from "../../src/testing/story.ts";
import { answers, PRICES, StandIn, streams } from "./stand-in.ts";
import { anthropic, openai } from "./wire.ts";

const WIRES = [
  { wire: "anthropic", say: anthropic, model: "anthropic/claude-test" },
  { wire: "openai", say: openai, model: "openai/gpt-test" },
] as const;

let folder: string;
let standIn: StandIn;
let world: RealWorld;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "selvage-retries-"));
  standIn = await StandIn.start();
  for (const [name, value] of Object.entries({
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
    ANTHROPIC_API_KEY: "canary-key",
    OPENAI_API_KEY: "canary-key",
    ANTHROPIC_BASE_URL: standIn.url,
    OPENAI_BASE_URL: `${standIn.url}/v1`,
  })) {
    vi.stubEnv(name, value);
  }
  mkdirSync(join(folder, "config/selvage"), { recursive: true });
  writeFileSync(join(folder, "config/selvage/models.yaml"), PRICES);
  initProject(join(folder, "project"), { force: false });
  world = realWorld({ root: join(folder, "project"), notify: () => {} });
});
afterEach(async () => {
  await world.close();
  await standIn.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function start(model: string): Promise<ThreadId> {
  const id = newThreadId(world, "story");
  const directive = { ...STORY_DIRECTIVE, model };
  await createThread(world, id, { directive, inputs: {}, tools: [], by: "test" });
  return id;
}

async function run(model: string) {
  const id = await start(model);
  await host(world, { scope: id, mayRecover: () => true, patienceMs: 1_000 });
  const [row] = await world.store.find({ threadId: id });
  const { events } = await world.store.load(id);
  return { row, events };
}

const gaps = () => standIn.seen.slice(1).map(({ at }, index) => at - (standIn.seen[index]?.at ?? 0));
const of = (events: readonly Event[], type: Event["type"]) => events.filter((event) => event.type === type);
const overloaded = answers(529, { error: { type: "overloaded_error", message: "Overloaded" } });

describe.each(WIRES)("over $wire", ({ say, model }) => {
  test("a 429 that asks for 1500 ms is asked again 1.5 to 2.2 s later", async () => {
    const refusal = { error: { type: "rate_limit_error", message: "slow down" } };
    standIn.will(answers(429, refusal, { "retry-after-ms": "1500" }), streams(say.answer("Done.")));
    const { row, events } = await run(model);
    expect(row).toMatchObject({ status: "completed" });
    expect(gaps()[0]).toBeGreaterThanOrEqual(1_490);
    expect(gaps()[0]).toBeLessThanOrEqual(2_200);
    expect(of(events, "error_classified")).toMatchObject([
      { category: "rate_limited", status: 429, retry_after_ms: 1_500 },
    ]);
  });

  test("401 is asked once, and the sentence names no key", async () => {
    standIn.will(
      answers(401, { error: { type: "authentication_error", message: "invalid x-api-key canary-key" } }),
    );
    const { row, events } = await run(model);
    expect(row).toMatchObject({ status: "error" });
    expect(standIn.seen).toHaveLength(1);
    expect(of(events, "thread_failed")).toMatchObject([{ code: "E_AUTH" }]);
    expect(JSON.stringify(events)).not.toContain("canary-key");
  });

  test("`Retry-After: 2592000` is waited for by nobody: suspended for thirty days, and the host leaves at once", async () => {
    standIn.will(answers(429, { error: { message: "monthly limit" } }, { "retry-after": "2592000" }));
    const before = Date.now();
    const { row } = await run(model);
    expect(row).toMatchObject({ status: "suspended", suspend_reason: "quota" });
    const until = row?.waits_for?.kind === "person" ? Date.parse(row.waits_for.until ?? "") : 0;
    expect(until - before).toBeGreaterThanOrEqual(2_592_000_000);
    expect(until - before).toBeLessThan(2_592_000_000 + 10_000);
    expect(Date.now() - before).toBeLessThan(10_000);
  });
});

test.each(["-5", "Thu, 01 Jan 1970 00:00:00 GMT"])("`retry-after: %s` is no hint", async (value) => {
  const busy = answers(503, { error: { message: "busy" } }, { "retry-after": value });
  standIn.will(busy, streams(anthropic.answer("Done.")));
  const { events } = await run("anthropic/claude-test");
  expect(of(events, "auto_retry_start")).toMatchObject([{ delayMs: 2_000 }]);
});

test("four 529s: gaps near 2, 4 and 8 s, then suspended `error` with a question", async () => {
  standIn.will(overloaded, overloaded, overloaded, overloaded);
  const { row, events } = await run("anthropic/claude-test");
  expect(row).toMatchObject({ status: "suspended", suspend_reason: "error" });
  const waited = gaps();
  expect(waited).toHaveLength(3);
  [2_000, 4_000, 8_000].forEach((wanted, index) => {
    expect(waited[index]).toBeGreaterThanOrEqual(wanted - 10);
    expect(waited[index]).toBeLessThan(wanted + 700);
  });
  expect(of(events, "auto_retry_end")).toMatchObject([{ success: false, attempt: 3 }]);
  expect(await world.store.approvals({ states: ["open"] })).toHaveLength(1);
});

// By real clocks on a machine that may be busy: walk/gate.test.ts proves the same by a clock that is ours.
test("200 threads on one key through a burst of 429s: hardly a request more than an answer needs", {
  retry: 2,
}, async () => {
  const takes = 20;
  const answeredAt: number[] = [];
  let underWay = 0;
  standIn.always = async (turn) => {
    if (underWay >= takes) {
      await answers(429, { error: { message: "slow down" } }, { "retry-after-ms": "1500" })(turn);
      return;
    }
    underWay += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    underWay -= 1;
    answeredAt.push(performance.now());
    await streams(anthropic.answer("Done."))(turn);
  };
  for (let n = 0; n < 200; n += 1) await start("anthropic/claude-test");
  await host(world, { scope: "*", mayRecover: () => true, patienceMs: 1_000 });
  const rows = await world.store.find({});
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["completed"]));
  expect(answeredAt).toHaveLength(200);
  // All 200 may be on their way before anybody knows; after that hardly one comes too early. Without the gate each of those
  // that were refused would come again with all the others, and most would give up.
  expect(standIn.seen.length).toBeLessThanOrEqual(1.2 * (200 + 180));
});
