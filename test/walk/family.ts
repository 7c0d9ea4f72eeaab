/** Words for walks with children. */
import { createHash } from "node:crypto";
import { callKey, threadId } from "../../src/core/id.ts";
import { call, type stage } from "./stage.ts";

export const send = { name: "send", effect: "manual" as const };
export const spawn = (directive: string, more: Record<string, unknown> = {}) =>
  call("thread_tool", { directive, ...more });
export const says = (text: string) => ({ steps: [{ says: text }] });

type Staged = ReturnType<typeof stage>;
export const family = async (s: Staged) => {
  const rows = await s.world.store.find({});
  return rows.toReversed().map((row) => [row.directive, row.status] as const);
};
export const outputs = (events: readonly { type: string }[], tool: string) =>
  events.flatMap((event) => {
    const { type, tool: name, output, status } = event as unknown as Record<string, string>;
    return type === "tool_call_result" && name === tool
      ? [status === "ok" ? JSON.parse(output ?? "") : output]
      : [];
  });

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The id of a child before it is born: started by the first call of a turn, in the first second of the fake clock. */
export function idOf(
  parent: string,
  directive: string,
  more: Record<string, unknown> = {},
  turn = 1,
): string {
  const input = { directive, ...more };
  const key = callKey({ chainRootId: parent, turn, index: 0, input }, sha256);
  const digest = sha256(`${parent} ${key}`);
  const bytes = Uint8Array.from({ length: 6 }, (_, at) =>
    Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16),
  );
  return threadId(directive, Date.UTC(2026, 0, 1), bytes);
}
