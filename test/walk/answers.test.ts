import { expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { defaultSettings } from "../../src/core/settings.ts";
import { applyRequests, host } from "../../src/runtime/index.ts";
import { call, ID, rounds, stage, types } from "./stage.ts";

const send = [{ name: "send", effect: "manual" as const }];
const work = { calls: [call("send", { to: "a" })] };
const broken = async () => {
  throw new Problem("E_HOOKS" as never, { what: "hooks.yaml is broken", why: "x", next: [] });
};
const LONG = { fails: { status: 429, retry_after_ms: 3_600_000 } };

test("due suspended thread + unreadable hooks does not spin", async () => {
  const s = stage([LONG as never, { says: "x" }]);
  await s.make();
  await s.rehost();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "quota" });
  await s.universe.clock.sleep(3_700_000);
  const opened = s.universe.open();
  (opened.world as { hooks?: unknown }).hooks = broken;
  const { store } = opened.world;
  let claims = 0;
  const claim: typeof store.claim = (ask) => {
    claims += 1;
    if (claims > 50) throw new Error("claimed fifty times");
    return store.claim(ask);
  };
  (opened.world as { store: unknown }).store = { ...store, claim };
  await s.rehost(opened);
  expect(claims).toBeLessThan(5);
});

test("deny applied without a host does not skip the hooks that follow", async () => {
  const ran: string[] = [];
  const hook = (event: string) => ({
    event: event as never,
    says: () => {
      ran.push(event);
      return { action: event === "before_tool" ? ("suspend" as const) : ("continue" as const) };
    },
  });
  const s = stage(
    [work, { says: "x" }],
    send,
    {},
    { hooks: ["before_tool", "after_tool", "after_step", "before_step", "after_complete"].map(hook) },
  );
  await s.play();
  ran.length = 0;
  await s.deny("no");
  await applyRequests(s.world, ID, 1000);
  await s.rehost();
  expect((await s.row()).status).toBe("completed");
  expect(ran).toEqual(["after_tool", "after_step", "before_step", "after_step", "after_complete"]);
});

test.each(["resume", "deny"] as const)(
  "C: %s accepted while the timer wakes the thread is not lost",
  async (how) => {
    const s = stage([LONG as never, { says: "x" }]);
    await s.make();
    await s.rehost();
    await s.universe.clock.sleep(3_700_000);
    const opened = s.universe.open();
    const { store } = opened.world;
    let done = false;
    const load = store.load;
    (opened.world as { store: unknown }).store = {
      ...store,
      load: async (id: string) => {
        const loaded = await load(id);
        if (!done) {
          done = true;
          const answer =
            how === "resume"
              ? await s.ask({ kind: "resume", message: "use the other file" } as never)
              : await s.deny("stop it");
          expect(answer.accepted).toBe(true);
        }
        return loaded;
      },
    };
    await s.rehost(opened);
    expect(done).toBe(true);
    if (how === "deny") expect((await s.row()).status).toBe("cancelled");
    else expect(types(await s.events())).toContain("message_received");
  },
);

test("on_timeout deny about a call refuses the call, as was shown", async () => {
  const s = stage(
    [work, { says: "x" }],
    send,
    { approvals: { ...defaultSettings.approvals, timeout_seconds: 60, on_timeout: "deny" } },
    { hooks: [{ event: "before_tool", says: () => ({ action: "suspend" }) }] },
  );
  await s.play();
  expect((await s.row()).status).toBe("completed");
});

test("a provider with a longer max_wait than the settings: the retry is not early", async () => {
  const retry = { ...defaultSettings.retry, max_wait_ms: 7_200_000 };
  const s = stage(
    [{ fails: { status: 429, retry_after_ms: 1_800_000 } }, { says: "x" }],
    [],
    {},
    { model: { retry } },
  );
  const before = s.universe.clock.monotonic();
  await s.play();
  await s.rehost();
  expect((await s.row()).status).toBe("completed");
  expect(s.universe.clock.monotonic() - before).toBeGreaterThanOrEqual(1_800_000);
});

test("let go by a person, a quota is waited for once again", async () => {
  const quota = { fails: { kind: "http", status: 402, message: "quota" } } as never;
  const s = stage([quota, quota, quota, { says: "x" }]);
  await s.play();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "quota" });
  await s.approve();
  await s.rehost();
  expect((await s.events()).filter((e) => e.type === "auto_retry_start").length).toBe(2);
});

test("resume --at with a raise, then approve: the raise stands", async () => {
  const s = stage([work, work, work, { says: "x" }], send, {}, { limits: { turns: 1 } });
  await s.play();
  expect(await s.row()).toMatchObject({ suspend_reason: "limit" });
  await s.ask({
    kind: "resume",
    limits: { turns: 100 },
    at: new Date(s.universe.clock.now() + 86_400_000).toISOString(),
  } as never);
  await applyRequests(s.world, ID, 1000);
  expect((await s.row()).limits).toMatchObject({ turns: 100 });
  await s.approve();
  await s.rehost();
  expect((await s.row()).limits).toMatchObject({ turns: 100 });
});

test("approved to go on with a loop, not resumed, then resume --at: not asked again", async () => {
  const steps = [work, work, work, work, work, work, { says: "x" }];
  const s = stage(steps, send, { loop: { ...defaultSettings.loop, ask_after: 3 } as never });
  await s.play();
  expect(await s.row()).toMatchObject({ suspend_reason: "approval" });
  const [q] = await s.world.store.approvals({ states: ["open"] });
  await s.ask({
    kind: "decide",
    approval_id: q?.approval.approval_id ?? "",
    approved: true,
    via: "t",
    resume: false,
  });
  await applyRequests(s.world, ID, 1000);
  await s.ask({ kind: "resume", at: new Date(s.universe.clock.now() + 60_000).toISOString() } as never);
  await s.rehost();
  const events = await s.events();
  const asked = events.filter((e) => e.type === "approval_requested").length;
  const answers = events.filter((e) => e.type === "cognition_out").length;
  expect({ asked, answers }).not.toEqual({ asked: 2, answers: 3 });
});

test("a chain of retries that hooks interrupt is ended", async () => {
  const s = stage([{ fails: { kind: "http", status: 500, message: "oops" } } as never, { says: "x" }]);
  let n = 0;
  (s.world as { hooks?: unknown }).hooks = async () => (n++ === 0 ? [] : broken());
  await s.play();
  expect(await s.row()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  expect(types(await s.events())).toContain("auto_retry_end");
});

test("a cancel posted while an activation reads its hooks stops the request", async () => {
  const s = stage([{ hangs: true } as never]);
  let open = () => {};
  const gate = new Promise<void>((r) => {
    open = r;
  });
  let reading = false;
  (s.world as { hooks?: unknown }).hooks = async () => {
    reading = true;
    await gate;
    return [];
  };
  // a thread whose next action is `ask`: step is open already
  await s.make();
  const first = s.universe.open();
  (first.world as { hooks?: unknown }).hooks = async () => [];
  const stop = new AbortController();
  const h1 = host(first.world, { scope: ID, mayRecover: () => true, patienceMs: 1000, signal: stop.signal });
  await s.seen("step_start");
  stop.abort();
  await h1;
  const over = s.rehost();
  while (!reading) await rounds(1);
  await s.ask({ kind: "cancel" });
  await rounds(20);
  open();
  const before = s.universe.clock.monotonic();
  await Promise.race([over, rounds(5000)]);
  expect((await s.row()).status).toBe("cancelled");
  expect(s.universe.clock.monotonic() - before).toBeLessThan(1000);
});
