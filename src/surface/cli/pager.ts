/** Long text on a terminal goes through the reader's pager; anywhere else it is printed as it is. */

const DEFAULT = "less -FIRX";

export interface Screen {
  readonly isTTY?: boolean;
  readonly rows?: number;
}

/** The command that shows it; undefined when it is simply printed. */
export function pagerFor(
  text: string,
  screen: Screen,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { PAGER: pager = DEFAULT, TERM } = environment;
  const isLong = text.split("\n").length >= (screen.rows || Number.POSITIVE_INFINITY);
  if (screen.isTTY !== true || !isLong || TERM === "dumb") return undefined;
  return pager === "" || pager === "cat" ? undefined : pager;
}

/** False: there is no such program, and nothing was shown. */
export async function page(pager: string, text: string): Promise<boolean> {
  const { spawnSync } = await import("node:child_process");
  const { status, error } = spawnSync("sh", ["-c", pager], {
    input: `${text}\n`,
    stdio: ["pipe", "inherit", "inherit"],
  });
  const isMissing = status === 126 || status === 127;
  // Whoever leaves the pager early has seen what they wanted.
  return !isMissing && (error === undefined || (error as NodeJS.ErrnoException).code === "EPIPE");
}
