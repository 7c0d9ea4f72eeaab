/** Files are written by a real disk, in real time: no clock of a test moves them. */
export async function untilReally(isSo: () => boolean | Promise<boolean>, what = "it"): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`${what} did not happen`);
}
