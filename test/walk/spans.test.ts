/** Spans of what threads do, as a provider gets them that is registered through the API (O6). */
import * as api from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Settings } from "../../src/core/settings.ts";
import { openSpans, type SpansNeeds } from "../../src/telemetry/spans.ts";
import { send, spawn } from "./family.ts";
import { call, stage } from "./stage.ts";

interface Made {
  readonly name: string;
  readonly parent: string | undefined;
  readonly links: number;
  readonly kind: api.SpanKind | undefined;
  readonly started: number;
  ended?: number;
  attributes: Record<string, unknown>;
  events: string[];
  status?: api.SpanStatusCode;
  message?: string;
}

/** As much of a provider as the API asks for. */
class FakeProvider implements api.TracerProvider {
  readonly made: Made[] = [];
  readonly schemas = new Set<string | undefined>();
  flushed = 0;
  #ids = 0;

  getTracer(_name: string, _version?: string, options?: api.TracerOptions): api.Tracer {
    this.schemas.add(options?.schemaUrl);
    return { startSpan: (...given) => this.#start(...given) } as api.Tracer;
  }

  async forceFlush(): Promise<void> {
    this.flushed += 1;
  }

  #start(name: string, options: api.SpanOptions = {}, context = api.ROOT_CONTEXT): api.Span {
    this.#ids += 1;
    const spanId = String(this.#ids).padStart(16, "0");
    const above = api.trace.getSpan(context)?.spanContext().spanId;
    const made: Made = {
      ...{ name, kind: options.kind, links: options.links?.length ?? 0, events: [] },
      parent: above === undefined ? undefined : this.made[Number(above) - 1]?.name,
      started: Number(options.startTime),
      attributes: { ...options.attributes },
    };
    this.made.push(made);
    const span = {
      spanContext: () => ({ traceId: "1".padStart(32, "0"), spanId, traceFlags: 1 }),
      setAttribute: (key: string, value: unknown) => {
        made.attributes[key] = value;
        return span;
      },
      setAttributes: (more: object) => {
        Object.assign(made.attributes, more);
        return span;
      },
      addEvent: (event: string) => {
        made.events.push(event);
        return span;
      },
      setStatus: ({ code, message }: api.SpanStatus) => {
        made.status = code;
        if (message !== undefined) made.message = message;
        return span;
      },
      updateName: (text: string) => {
        Object.assign(made, { name: text });
        return span;
      },
      end: (at: number) => {
        if (made.ended !== undefined) throw new Error(`${made.name} ended twice`);
        made.ended = at;
      },
    };
    return span as unknown as api.Span;
  }
}

let provider: FakeProvider;
beforeEach(() => {
  provider = new FakeProvider();
  api.trace.setGlobalTracerProvider(provider);
});
afterEach(() => api.trace.disable());

type Staged = ReturnType<typeof stage>;

/** What was published, heard afterwards: only the order counts. */
async function recorded(
  s: Staged,
  settings: Partial<Settings["telemetry"]> = {},
  more: Partial<SpansNeeds> = {},
) {
  const warnings: string[] = [];
  const spans = openSpans({
    settings: { spans: "on", content: false, ...settings },
    version: "1.2.3",
    row: async (threadId) => (await s.world.store.find({ threadId, limit: 1 }))[0],
    now: () => s.world.clock.now(),
    warn: (message) => warnings.push(message),
    ...more,
  });
  for (const notice of s.universe.notices) spans?.hear(notice);
  await spans?.close();
  return warnings;
}
const named = (start: string) => provider.made.filter(({ name }) => name.startsWith(start));

test("a thread, its requests and its calls: names, times, attributes", async () => {
  const usage = { input: 10, cache_read: 5, cache_write: 0, output: 7 };
  const s = stage(
    [
      { says: "a secret plan", calls: [call("send", { to: "Maya" })], usage },
      { says: "done", usage },
    ],
    [send],
  );
  await s.play();
  expect(await recorded(s)).toEqual([]);
  expect(provider.made.map(({ name, parent }) => [name, parent])).toEqual([
    ["invoke_agent story", undefined],
    ["chat story", "invoke_agent story"],
    ["execute_tool send", "invoke_agent story"],
    ["chat story", "invoke_agent story"],
  ]);
  expect(provider.schemas).toEqual(new Set(["https://opentelemetry.io/schemas/1.41.0"]));
  const [agent, chat, tool, last] = provider.made;
  const { thread_id } = await s.row();
  const model = { "gen_ai.provider.name": "scripted", "gen_ai.request.model": "story" };
  const used = (times: number) => ({
    ...{ "gen_ai.usage.input_tokens": 15 * times, "gen_ai.usage.output_tokens": 7 * times },
    "gen_ai.usage.cache_read.input_tokens": 5 * times,
    "gen_ai.usage.cache_creation.input_tokens": 0,
  });
  expect(agent).toMatchObject({ kind: api.SpanKind.INTERNAL });
  expect(agent?.attributes).toEqual({
    ...{ "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": thread_id, ...model, ...used(2) },
    ...{ "gen_ai.agent.name": "story", "gen_ai.agent.id": thread_id },
    ...{ "selvage.root.id": thread_id, "selvage.thread.status": "completed" },
  });
  expect(chat).toMatchObject({ kind: api.SpanKind.CLIENT });
  expect(chat?.attributes).toEqual({
    ...{ "gen_ai.operation.name": "chat", "gen_ai.conversation.id": thread_id, ...model, ...used(1) },
    ...{ "gen_ai.request.stream": true, "gen_ai.request.max_tokens": expect.any(Number) },
    ...{ "gen_ai.response.finish_reasons": ["tool_call"], "selvage.turn": 1, "selvage.attempt": 1 },
  });
  expect(last?.attributes).toMatchObject({ "gen_ai.response.finish_reasons": ["stop"] });
  expect(tool).toMatchObject({ kind: api.SpanKind.INTERNAL });
  expect(tool?.attributes).toEqual({
    ...{ "gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": thread_id },
    ...{ "gen_ai.tool.name": "send", "gen_ai.tool.type": "function" },
    "gen_ai.tool.call.id": expect.any(String),
  });
  for (const { started, ended } of provider.made) expect(ended).toBeGreaterThanOrEqual(started);
  expect(provider.flushed).toBe(1);
  // Nothing that anybody said or gave.
  expect(JSON.stringify(provider.made)).not.toMatch(/secret plan|Maya|Do it/);
});

test("content is recorded only where it is asked for", async () => {
  const s = stage([{ says: "a plan", calls: [call("send", { to: "Maya" })] }, { says: "done" }], [send]);
  await s.play();
  await recorded(s, { content: true });
  const [, chat, tool] = provider.made;
  expect(JSON.parse(String(chat?.attributes["gen_ai.output.messages"]))).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "a plan" }], finish_reason: "tool_call" },
  ]);
  expect(tool?.attributes["gen_ai.tool.call.arguments"]).toBe('{"to":"Maya"}');
  expect(tool?.attributes["gen_ai.tool.call.result"]).toContain("send did");
});

test("a call that fails has an error in place of a result", async () => {
  const s = stage([{ calls: [call("nobody")] }, { says: "done" }], [send]);
  await s.play();
  await recorded(s, { content: true });
  const [failed] = named("execute_tool nobody");
  expect(failed).toMatchObject({ status: api.SpanStatusCode.ERROR, attributes: { "error.type": "error" } });
  expect(failed?.message).toContain("nobody");
  expect(failed?.attributes).not.toHaveProperty("gen_ai.tool.call.result");
});

test("failures and retries: a span for each request, an event for each wait", async () => {
  const s = stage([
    { fails: { status: 503 } },
    { fails: { status: 429, retry_after_ms: 1_000 } },
    { says: "done" },
  ]);
  await s.play();
  await recorded(s);
  const chats = named("chat");
  expect(chats.map(({ attributes, status }) => [attributes["error.type"], status])).toEqual([
    ["transient", api.SpanStatusCode.ERROR],
    ["rate_limited", api.SpanStatusCode.ERROR],
    [undefined, undefined],
  ]);
  expect(provider.made[0]?.events).toEqual(["selvage.retry", "selvage.retry"]);
  const [first, second] = chats;
  // The wait is in no request.
  expect((second?.started ?? 0) - (first?.ended ?? 0)).toBeGreaterThan(1_000);
});

test("children stand below their parent; waits are events; how each ended is told", async () => {
  const bad = { steps: [{ fails: { status: 401 } }] };
  const good = { steps: [{ calls: [call("send")] }, { says: "x" }] };
  const steps = [
    { calls: [spawn("good", { wait: true })] },
    { calls: [spawn("bad", { wait: true })] },
    { says: "done" },
  ];
  const s = stage(steps, [send], {}, { children: { good, bad }, limits: { spend: "9.00" } });
  await s.play();
  await recorded(s);
  expect(named("invoke_agent").map(({ name, parent }) => [name, parent])).toEqual([
    ["invoke_agent story", undefined],
    ["invoke_agent good", "invoke_agent story"],
    ["invoke_agent bad", "invoke_agent story"],
  ]);
  expect(named("execute_tool send")[0]?.parent).toBe("invoke_agent good");
  const failed = named("invoke_agent bad")[0];
  expect(failed).toMatchObject({
    status: api.SpanStatusCode.ERROR,
    attributes: { "selvage.thread.status": "failed" },
  });
  expect(provider.made[0]?.events).toEqual([
    ...["selvage.wait.started", "selvage.wait.finished"],
    ...["selvage.wait.started", "selvage.wait.finished"],
  ]);
});

test("a thread that is suspended is told so, and its span ends when the process does", async () => {
  const s = stage([{ calls: [call("send")] }, { says: "x" }], [send], {}, { limits: { turns: 1 } });
  await s.play();
  await recorded(s);
  const [agent] = provider.made;
  expect(agent).toMatchObject({
    events: ["selvage.suspended"],
    attributes: { "selvage.thread.status": "suspended" },
  });
  expect(agent?.ended).toBeDefined();
});

test("one that goes on from another is linked to it", async () => {
  const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
  const steps = [
    { calls: [call("send", { at: 1 })], usage: used(300) },
    { calls: [call("send", { at: 2 })], usage: used(950) },
    { says: "done", usage: used(100) },
  ];
  const children = { thread_summary: { steps: [{ says: "notes" }] } };
  const s = stage(steps, [send], {}, { children, model: { window: 1_000 }, limits: { spend: "9.00" } });
  await s.play();
  await recorded(s);
  expect(
    named("invoke_agent story").map(({ links, attributes }) => [links, attributes["selvage.thread.status"]]),
  ).toEqual([
    [0, "continued"],
    [1, "completed"],
  ]);
});

describe("nothing of it harms a thread", () => {
  const played = async () => {
    const s = stage([{ says: "done" }]);
    await s.play();
    return s;
  };

  test("off: nothing is loaded, nothing is made", async () => {
    let loads = 0;
    const load = async () => {
      loads += 1;
      return api;
    };
    await recorded(await played(), { spans: "off" }, { load });
    expect([loads, provider.made]).toEqual([0, []]);
  });

  test("on, and the API is not there: said once", async () => {
    const warnings = await recorded(await played(), {}, { load: async () => undefined });
    expect(warnings).toEqual([expect.stringContaining("@opentelemetry/api is not installed")]);
  });

  test("a provider that throws is said once", async () => {
    api.trace.disable();
    api.trace.setGlobalTracerProvider({
      getTracer: () => {
        throw new Error("broken provider");
      },
    });
    expect(await recorded(await played())).toEqual([expect.stringContaining("broken provider")]);
  });

  test("without a provider it is as if there were none", async () => {
    api.trace.disable();
    expect(await recorded(await played())).toEqual([]);
  });
});
