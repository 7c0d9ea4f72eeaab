/** What a child process gets to see of our environment: a list of what is let through, so that no key ever is. */

const LET_THROUGH = new Set(["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL"]);
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Which call of which thread a process works for. */
export interface Errand {
  readonly callKey: string;
  readonly threadId: string;
}

/**
 * `SELVAGE_THREAD` tells commands of ours that they were called from inside a thread: what only a person may do they
 * refuse there (L5). Where no thread is known, the name of what was started stands in its place.
 */
export function childEnvironment(
  errand: Errand | string,
  ours: Readonly<Record<string, string | undefined>> = process.env,
  /** Names that whoever wrote the tool asked for. */
  more: readonly string[] = [],
): Record<string, string> {
  const passed = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (LET_THROUGH.has(entry[0]) || entry[0].startsWith("LC_") || more.includes(entry[0])),
  );
  const { callKey, threadId } = typeof errand === "string" ? { callKey: errand, threadId: errand } : errand;
  const ofCall = { SELVAGE_CALL_KEY: callKey, SELVAGE_THREAD: threadId };
  return { PATH: FALLBACK_PATH, ...Object.fromEntries(passed), ...ofCall };
}
