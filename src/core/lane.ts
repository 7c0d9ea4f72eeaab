/** Which calls may start now (D4): calls in different lanes run in parallel, calls in one lane in order. */

export interface LaneCall {
  readonly lanes: readonly string[];
  /** `deferred`: it waits for something else, and keeps its place in its lanes. */
  readonly state: "waiting" | "deferred" | "running" | "done";
}

/** Indexes of the waiting calls that may start, in call order, with at most `cap` running at once. */
export function startable(calls: readonly LaneCall[], cap: number): number[] {
  const taken = new Set<string>();
  let free = cap - calls.filter((call) => call.state === "running").length;
  const starting: number[] = [];
  calls.forEach((call, index) => {
    if (call.state === "done") return;
    const blocked = call.lanes.some((lane) => taken.has(lane));
    for (const lane of call.lanes) taken.add(lane);
    if (call.state === "waiting" && !blocked && free > 0) {
      starting.push(index);
      free -= 1;
    }
  });
  return starting;
}
