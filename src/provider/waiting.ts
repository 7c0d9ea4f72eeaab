/** Two ways to let time pass that need no clock. */

/** Everything that is ready runs first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Until the signal aborts. Holds the process open, as a socket on which nothing comes would. */
export function keepHanging(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const hold = setInterval(() => {}, 1_000_000_000);
    const stop = () => {
      clearInterval(hold);
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
