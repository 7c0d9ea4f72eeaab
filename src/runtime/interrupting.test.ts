import { expect, test } from "vitest";
import type { Request } from "../core/request.ts";
import { type Active, HostStops } from "./active.ts";
import { interrupt, newEffects, uninterrupt } from "./interrupting.ts";

const stop = (request_id: string) => ({ kind: "stop", request_id }) as Request;
const cancel = { kind: "cancel", request_id: "c" } as Request;

test.each([
  ["a stop that was answered", [stop("s")], ["s"], false],
  ["two of them", [stop("s"), stop("t")], ["s", "t"], false],
  ["one that was not", [stop("s")], [], true],
  ["a host that leaves as well", [stop("s"), new HostStops()], ["s"], true],
  ["a cancel as well", [stop("s"), cancel], ["s", "c"], true],
] as const)(
  "what comes next may begin after %s: unless it is told to stop, too",
  (_, reasons, taken, stays) => {
    const active = {
      ...{ effects: newEffects(), tools: newEffects() },
      ...{ interruptions: new Set(), taken: new Set<string>(taken) },
    } as unknown as Active;
    for (const reason of reasons) interrupt(active, reason);
    uninterrupt(active);
    expect([active.effects.signal.aborted, active.tools.signal.aborted]).toEqual([stays, stays]);
  },
);
