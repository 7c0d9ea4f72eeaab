import { expect, test } from "vitest";
import type { NewEvent } from "./event.ts";
import { type ProcessOver, processStopped } from "./processes.ts";

const over = (why: ProcessOver["why"], by?: string): ProcessOver => ({ handle: "h", why, exitCode: 0, by });

test.each<[ProcessOver, NewEvent<"process_stopped">["asked_by"], object]>([
  [over("stopped"), "tool", { asked_by: "tool" }],
  [over("killed"), "end", { asked_by: "end" }],
  // Nobody's doing, though somebody asked: it had ended before, or is out of reach.
  [over("exited"), "tool", {}],
  [over("gone"), "end", {}],
  [over("elsewhere"), "end", {}],
  [over("exited"), undefined, {}],
  // A person was there first.
  [over("stopped", "eve@here"), "end", { asked_by: "person", by: "eve@here" }],
  [over("exited", "eve@here"), undefined, { asked_by: "person", by: "eve@here" }],
])("of %j, asked for by %s, is told who wanted it", (ended, asked, who) => {
  const { why } = ended;
  expect(processStopped(ended, asked)).toEqual({
    ...{ type: "process_stopped", handle_id: "h", exit_code: 0, why },
    ...who,
  });
});
