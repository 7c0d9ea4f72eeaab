// How long everything takes to stop, by the clock of the process that stops it: from the moment its signal says so, or
// from the first moment in which the host knows of the cancel, until it is over. Time in which the machine let it stand
// in line for a processor is not its own.
import { readFileSync } from "node:fs";

function ownTime() {
  return performance.now() - inLineMs();
}

/** Others have to stop as well: what they take is all theirs. */
function wallTime() {
  return performance.now();
}

/** Of the main thread, as far as the system tells: ran, stood in line (both in ns), times that it ran. */
function inLineMs() {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The same world, measured; `times` fills up as things stop, in ms. */
export function measured(world) {
  const times = { seen: Number.NaN, stream: Number.NaN, sleeps: Number.NaN, groups: 0, kept: 0 };
  let since = Number.NaN;
  const known = () => {
    if (!Number.isNaN(since)) return;
    since = ownTime();
    times.seen = Date.now();
  };
  /** What `act` took from the abort of this signal on, by this clock. */
  const fromAbort = async (signal, time, act, note) => {
    let told = Number.NaN;
    signal.addEventListener("abort", () => {
      known();
      told = time();
    });
    try {
      return await act();
    } finally {
      if (!Number.isNaN(told)) note(time() - told);
    }
  };
  const most = (name) => (ms) => {
    times[name] = Math.max(times[name], ms);
  };
  const lasting = async (act) => {
    const begun = wallTime();
    try {
      return await act();
    } finally {
      if (!Number.isNaN(since)) most("kept")(wallTime() - begun);
    }
  };
  const { processes } = world;
  return {
    times,
    world: {
      ...world,
      model: (name) => {
        const model = world.model(name);
        if (!model) return undefined;
        const ask = (request, on, signal) =>
          fromAbort(
            signal,
            ownTime,
            () => model.ask(request, on, signal),
            (ms) => {
              times.stream = ms;
            },
          );
        return { ...model, ask };
      },
      tool: (name) => {
        const tool = world.tool(name);
        const run = (input, context) =>
          fromAbort(context.signal, wallTime, () => tool.run(input, context), most("groups"));
        return tool && { ...tool, run };
      },
      processes: {
        ...processes,
        stop: (ref) => lasting(() => processes.stop(ref)),
        endAll: (...given) => lasting(() => processes.endAll(...given)),
      },
      // Who sleeps until a retry is parked: it is awake when somebody takes it in hand.
      store: {
        ...world.store,
        claim: (ask) => {
          if (ask.threadId.startsWith("backoff") && !Number.isNaN(since)) times.sleeps = ownTime() - since;
          return world.store.claim(ask);
        },
      },
      notify: (notice) => {
        const { type } = notice.event ?? {};
        if (type === "cancel_requested") known();
        world.notify(notice);
      },
    },
  };
}
