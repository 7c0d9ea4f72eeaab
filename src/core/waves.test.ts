import { expect, test } from "vitest";
import type { Event, NewEvent } from "./event.ts";
import { wavesOf } from "./waves.ts";

const call = (turn: number, call_id: string) => ({ type: "tool_call_start", turn, call_id });
const child = (call_id: string, child_id: string) => ({ type: "child_thread_started", call_id, child_id });
const wait = (call_id: string | null, ...thread_ids: string[]) => ({
  type: "wait_started",
  call_id,
  thread_ids,
});
const over = (why = "met") => ({ type: "wait_finished", why });

const journal = (...facts: object[]): Event[] =>
  facts.map((fact, at) => {
    const ts = `2026-01-01T00:00:${String(at).padStart(2, "0")}.000Z`;
    return { v: 1, seq: at + 1, ts, thread_id: "t", ...(fact as NewEvent) } as Event;
  });

test("children of one turn are a wave, joined where all of them were waited for", () => {
  const [first, second] = wavesOf(
    journal(
      call(1, "c1"),
      child("c1", "a"),
      call(1, "c2"),
      child("c2", "b"),
      call(2, "c3"),
      wait("c3", "a"),
      over(),
      call(3, "c4"),
      wait("c4", "b"),
      over("timeout"),
      call(4, "c5"),
      child("c5", "c"),
    ),
  );
  expect(first).toMatchObject({ turn: 1, isInline: false, members: ["a", "b"], joined: { turn: 3 } });
  expect(second).toMatchObject({ turn: 4, members: ["c"] });
  expect(second?.joined).toBeUndefined();
});

test("one that is waited for in its own call stands in line; a second one makes it a wave", () => {
  const inline = [call(1, "c1"), child("c1", "a"), wait("c1", "a"), over()];
  expect(wavesOf(journal(...inline))).toMatchObject([{ isInline: true, joined: { turn: 1 } }]);
  expect(wavesOf(journal(...inline, call(1, "c2"), child("c2", "b"), wait("c2", "b"), over()))).toMatchObject(
    [{ isInline: false, members: ["a", "b"], joined: { turn: 1 } }],
  );
});

test("a wait that was interrupted has joined nobody; the one at the end has no turn", () => {
  const started = [call(1, "c1"), child("c1", "a"), wait(null, "a"), over("interrupted")];
  expect(wavesOf(journal(...started))[0]?.joined).toBeUndefined();
  expect(wavesOf(journal(...started, wait(null, "a"), over()))[0]?.joined).toMatchObject({ turn: null });
});
