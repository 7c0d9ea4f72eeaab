import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { findBubblewrap, seekBubblewrap } from "./bubblewrap.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A bwrap that counts how often it is asked. */
function folderWith(bwrap: string): string {
  const folder = mkdtempSync(join(tmpdir(), "selvage-bwrap-"));
  folders.push(folder);
  const scripts = { bwrap: `echo asked >> ${folder}/asked; ${bwrap}`, setsid: 'exec "$@"' };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const askedIn = (folder: string) => readFileSync(join(folder, "asked"), "utf8").match(/asked/g)?.length;
const WAYS = process.getuid?.() === 0 ? 2 : 1;

describe.runIf(process.platform === "linux").each(["at once", "beside other work"])("%s", (how) => {
  const look = async (folder: string) => {
    if (how !== "at once")
      await Promise.all([seekBubblewrap(false, [folder]), seekBubblewrap(false, [folder])]);
    return [findBubblewrap(false, [folder]), findBubblewrap(false, [folder])];
  };

  test("one that fails is told with its own words, after every way was tried, once", async () => {
    const folder = folderWith("echo 'bwrap: not here' >&2; exit 1");
    const [first, second] = await look(folder);
    expect(first).toEqual({ why: expect.stringContaining("does not work here (bwrap: not here)") });
    expect(second).toEqual(first);
    expect(askedIn(folder)).toBe(WAYS);
  });

  test("one that works is tried once", async () => {
    const folder = folderWith("exit 0");
    const [first] = await look(folder);
    expect(first).toMatchObject({ program: join(folder, "bwrap"), starter: join(folder, "setsid") });
    expect(askedIn(folder)).toBe(1);
  });

  test("one that is not there is not started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "selvage-bwrap-"));
    folders.push(folder);
    expect((await look(folder))[0]).toEqual({ why: expect.stringContaining("bwrap is missing") });
  });
});
