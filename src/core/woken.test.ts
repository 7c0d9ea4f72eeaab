import { expect, test } from "vitest";
import type { Managed } from "./managed.ts";
import type { Request } from "./request.ts";
import { newThread, type OpenCall, type Step, type Thread } from "./thread.ts";
import { onlyWrites } from "./woken.ts";

const ended = { kind: "outcome", outcome: { type: "child_thread_completed" } } as unknown as Request;
const heard = { kind: "outcome", outcome: { type: "channel_heard" } } as unknown as Request;
const SOUND = { row: { corrupt: null }, requests: [ended] };
const started = { call_id: "c1", tool: "send", effect: "probe" } as unknown as OpenCall;
const step = (more: Partial<Step>) => ({ calls: [], ...more }) as unknown as Step;
const thread = (more: Partial<Thread>): Thread => ({ ...newThread("a"), status: "running", ...more });
const running = { handle: "h1" } as unknown as Managed;

test.each([
  ["it waits for a child", thread({}), true],
  [
    "its wait is a call of its own",
    thread({ step: step({ calls: [started] }), wait: { callId: "c1" } as never }),
    true,
  ],
  ["a call may have run: its tool is asked", thread({ step: step({ calls: [started] }) }), false],
  ["a request of it is in doubt", thread({ step: step({ doubted: true }) }), false],
  ["a process of it runs, and its end would stop it", thread({ processes: { h1: running } }), false],
  ["a process of it is over", thread({ processes: { h1: { ...running, ended: {} as never } } }), true],
])("%s", (_, woken, is) => {
  expect(onlyWrites(SOUND, woken)).toBe(is);
});

test("one that is damaged is ended, and its processes with it", () => {
  const damaged = { row: { corrupt: { last_good: 3, why: "w" } }, requests: [ended] };
  expect(onlyWrites(damaged, thread({}))).toBe(false);
});

test("words in a channel wait for one another", () => {
  expect(onlyWrites({ ...SOUND, requests: [ended, heard] }, thread({}))).toBe(false);
});
