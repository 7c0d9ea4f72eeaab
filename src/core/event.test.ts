import { expect, test } from "vitest";
import * as z from "zod/mini";
import { EVENTS, type EventType, isCritical } from "./event.ts";

test("every event has a meaning and fields that make a JSON schema", () => {
  for (const [type, { meaning, fields }] of Object.entries(EVENTS)) {
    expect(type).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(meaning).toMatch(/\.$/);
    expect(z.toJSONSchema(fields)).toMatchObject({ type: "object" });
  }
});

test("only what can be lost without harm is droppable", () => {
  const droppable = (Object.keys(EVENTS) as EventType[]).filter((type) => !isCritical(type));
  expect(droppable).toEqual(["cognition_out_delta", "tool_call_progress"]);
});
