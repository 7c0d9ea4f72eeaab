/**
 * Ports of the world through which no secret passes (K5). Whatever is stored goes through the store, whatever is shown
 * through `notify`: these two are the narrow places, whoever calls them.
 *   R1. What is stored is what is folded: the store answers with the events as it wrote them.
 *   R2. What a question is made of (failures, answers of hooks) is redacted before, so that its digest is of what is shown.
 *   R3. A tool gets its input as the model gave it; see `call.ts` for what is kept of it.
 */
import type { NewEvent } from "../core/event.ts";
import type { RedactedStream, Redactor } from "../core/redact.ts";
import { redactEvent, redactRequest } from "../core/redact-event.ts";
import type { Birth, Store } from "../core/store.ts";
import type { Notice, World } from "../core/world.ts";

export function redactedStore(store: Store, redactor: Redactor): Store {
  const events = (given: readonly NewEvent[]) => given.map((event) => redactEvent(event, redactor));
  const requests = (given: Parameters<Store["post"]>[0]) =>
    given.map((request) => redactRequest(request, redactor));
  const born = (birth: Birth): Birth => ({
    ...birth,
    events: events(birth.events),
    requests: requests(birth.requests),
  });
  return {
    ...store,
    create: (birth) => store.create(born(birth)),
    commit: (lease, batch, handOver) => {
      const { tail, births, stops } = batch;
      const more = {
        ...(tail ? { tail: events(tail) } : {}),
        ...(births ? { births: births.map(born) } : {}),
        ...(stops ? { stops: stops.map((stop) => ({ ...stop, reason: redactor.text(stop.reason) })) } : {}),
      };
      return store.commit(lease, { ...batch, events: events(batch.events), ...more }, handOver);
    },
    post: (given) => store.post(requests(given)),
  };
}

/** R2. */
export function redactedModel(model: World["model"], redactor: Redactor): World["model"] {
  return (name) => {
    const found = model(name);
    return (
      found && {
        ...found,
        ask: async (...asked) => {
          const ending = await found.ask(...asked);
          return ending.type === "failure" ? { ...ending, failure: redactor.value(ending.failure) } : ending;
        },
      }
    );
  };
}

type RunHook = NonNullable<World["runHook"]>;

/** R2. */
export function redactedHook(run: RunHook, redactor: Redactor): RunHook {
  return async (...given) => redactor.value(await run(...given));
}

/** Text of an answer that streams is held back while it may be the beginning of a secret. */
export function redactedNotify(notify: World["notify"], redactor: Redactor): World["notify"] {
  const streams = new Map<string, { readonly stream: RedactedStream; last: Delta }>();
  const show = (event: Delta, text: string) => {
    if (text !== "") notify({ type: "live", event: { ...event, text } });
  };
  const flush = (threadId: string) => {
    const open = streams.get(threadId);
    streams.delete(threadId);
    if (open) show(open.last, open.stream.end());
  };
  return (notice) => {
    if (notice.type === "event") {
      if (!WHILE_STREAMING.includes(notice.event.type)) flush(notice.event.thread_id);
      return notify(notice); // it comes from the store (R1)
    }
    if (notice.type !== "live") return notify(redactor.value(notice));
    const { event } = notice;
    if (event.type === "tool_call_progress") {
      return notify({ type: "live", event: { ...event, message: redactor.cut(event.message) } });
    }
    const { stream } = streams.get(event.thread_id) ?? { stream: redactor.stream() };
    streams.set(event.thread_id, { stream, last: event });
    return show(event, stream.push(event.text));
  };
}

type Live = Extract<Notice, { type: "live" }>["event"];
type Delta = Extract<Live, { type: "cognition_out_delta" }>;

/** Calls start and end while the answer goes on. */
const WHILE_STREAMING: readonly string[] = ["tool_call_start", "tool_call_result"];
