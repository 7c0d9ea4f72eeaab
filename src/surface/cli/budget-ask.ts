/** Asks the owner of a thread to change its money, and finds out what came of it. Without a live host it is done here. */
import type { Event } from "../../core/event.ts";
import { Problem } from "../../core/problem.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { applyRequests, newRequestId, postRequest } from "../../runtime/index.ts";
import { PATIENCE_MS } from "./hosting.ts";
import { person } from "./person.ts";

/** A host takes a request up between two steps of its thread; longer than this nobody waits for it. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;

type MoneyEvent = Event<"budget_changed" | "charge_corrected">;

/** `waiting`: it is stored, and a live owner takes it when it comes to it. `same`: nothing was left to change. */
export type Outcome =
  | { readonly type: "done"; readonly event: MoneyEvent }
  | { readonly type: "same" }
  | { readonly type: "waiting" };

type Wanted =
  | Pick<Request & { kind: "budget" }, "kind" | "set" | "add">
  | Pick<Request & { kind: "settle" }, "kind" | "hold" | "amount">;

export async function askForMoney(world: World, row: ThreadRow, wanted: Wanted): Promise<Outcome> {
  const { thread_id: threadId } = row;
  const request_id = newRequestId(world);
  const posted = await postRequest(world, { ...wanted, request_id, thread_id: threadId, by: person() });
  if (!posted.accepted) throw notNow(threadId, posted.why);
  if (!posted.host) await applyRequests(world, threadId, PATIENCE_MS);
  if (!(await isTaken(world, row, request_id))) return { type: "waiting" };
  const { events } = await world.store.load(threadId);
  const event = events.findLast((each) => "request_id" in each && each.request_id === request_id) as
    | MoneyEvent
    | undefined;
  if (event?.refused !== undefined) throw overtaken(threadId, event.refused);
  if (event) return { type: "done", event };
  const [now] = await world.store.find({ threadId, limit: 1 });
  if (now && isTerminal(now.status)) throw notNow(threadId, `it is ${now.status}`);
  return { type: "same" };
}

async function isTaken({ clock, store }: World, row: ThreadRow, requestId: string): Promise<boolean> {
  const deadline = clock.monotonic() + WAIT_MS;
  for (;;) {
    const open = await store.openRequests(row.chain_root_id);
    if (!open.some(({ request_id }) => request_id === requestId)) return true;
    if (clock.monotonic() >= deadline) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

export function notNow(threadId: string, why: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `The budget of ${threadId} cannot be changed: ${why}.`,
    why: "Limits and charges change while a thread lives. Nothing was written.",
    next: [{ cmd: `selvage cost ${threadId}`, why: "what it came to" }],
    threadId,
  });
}

/** It was fine when it was asked, and was not any more when the owner took it. */
function overtaken(threadId: string, refused: string): Problem {
  return new Problem("E_BUDGET_REFUSED", {
    what: `The budget of ${threadId} stays as it is: ${refused}.`,
    why: "The thread went on between the asking and the taking. The refusal is in its journal; no limit changed.",
    next: [{ cmd: `selvage budget ${threadId}`, why: "what is used and held now" }],
    threadId,
  });
}
