/** Words for walks with children. */
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
