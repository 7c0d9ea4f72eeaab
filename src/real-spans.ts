/** Lets the spans of a world hear what it says, once its settings are known. */
import type { Notice, World } from "./core/world.ts";
import { openSpans, type Spans } from "./telemetry/spans.ts";
import { VERSION } from "./version.ts";

interface Notified {
  readonly notify: (notice: Notice) => void;
}

/** What is said before there are settings is no fact of a thread. */
export function traced<O extends Notified, W extends World & { close(): Promise<void> }>(
  options: O,
  open: (options: O) => W,
): W {
  let spans: Spans | undefined;
  const notify = (notice: Notice) => {
    options.notify(notice);
    spans?.hear(notice);
  };
  const world = open({ ...options, notify });
  const { store, clock, settings } = world;
  spans = openSpans({
    settings: settings.telemetry,
    version: VERSION,
    row: async (threadId) => (await store.find({ threadId, limit: 1 }))[0],
    now: () => clock.now(),
    warn: (message) => options.notify({ type: "spans_failed", message }),
  });
  if (!spans) return world;
  const { close: closeSpans } = spans;
  const { close } = world;
  // The world itself, not a copy: some of what it has is read when it is asked for.
  world.close = async () => {
    await closeSpans();
    await close.call(world);
  };
  return world;
}
