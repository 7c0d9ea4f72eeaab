/** Conversations that fill up while somebody is killed: made shorter, handed on, too long for the provider. */
import { defaultSettings } from "../../src/core/settings.ts";
import type { Story } from "../../src/testing/index.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });
const start = (directive: string) => call("thread_tool", { directive });
const send = { name: "send", effect: "manual" as const };
const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });

/** A death charges what was held: notes that can pay for one are made all the same. */
const dearNotes = {
  continuation: {
    ...defaultSettings.continuation,
    summary_limit_overrides: { turns: 3, spend: "1.00" },
  },
};

const handedOn: Story = {
  name: "a full thread makes notes and is handed on, with a child that lives on",
  steps: [
    { calls: [start("worker"), call("send", { at: 1 })], usage: used(300) },
    { says: "two", calls: [call("send", { at: 2 })], usage: used(950) },
    { says: "done", usage: used(100) },
  ],
  tools: [{ ...send, rounds: 4 }],
  limits: { spend: "9.00" },
  model: { window: 1_000 },
  settings: dearNotes,
  children: {
    worker: {
      steps: [{ calls: [call("send", { by: "worker" })] }, { says: "x" }],
      limits: { spend: "2.00" },
    },
    thread_summary: { steps: [{ says: "## Completed Work\ntwo steps", usage: used(10) }] },
  },
};

const SPACIOUS = "x".repeat(400);
const pressed: Story = {
  name: "a hook makes a full conversation shorter, and the thread goes on",
  steps: [
    { calls: [call("send", { at: 1, SPACIOUS })], usage: used(300) },
    { calls: [call("send", { at: 2, SPACIOUS })], usage: used(620) },
    { calls: [call("send", { at: 3 })], usage: used(500) },
    { says: "done", usage: used(550) },
  ],
  tools: [send],
  model: { window: 1_000 },
  hooks: [
    {
      event: "context_window_pressure",
      says: () => ({ action: "continue", compaction: { summary: "one is done", pruneBeforeTurn: 2 } }),
    },
  ],
};

const overflowed: Story = {
  name: "a request does not fit: handed on once, and the rest is one chain",
  steps: [
    { calls: [call("send", { at: 1 })] },
    { fails: { status: 400, message: "prompt is too long" } },
    { says: "fits" },
  ],
  tools: [send],
  settings: dearNotes,
  children: { thread_summary: { steps: [{ fails: { status: 401 } }] } },
};

export const contextStories = [handedOn, pressed, overflowed];
