/** What a child process gets to see of our environment: a list of what is let through, so that no key ever is. */

const LET_THROUGH = new Set(["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL"]);
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

export function childEnvironment(
  callKey: string,
  ours: Readonly<Record<string, string | undefined>> = process.env,
  /** Names that whoever wrote the tool asked for. */
  more: readonly string[] = [],
): Record<string, string> {
  const passed = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (LET_THROUGH.has(entry[0]) || entry[0].startsWith("LC_") || more.includes(entry[0])),
  );
  return { PATH: FALLBACK_PATH, ...Object.fromEntries(passed), SELVAGE_CALL_KEY: callKey };
}
