import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HostRow } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { lastLines, logPath, openLog } from "./serve-log.ts";
import { ensureHost } from "./start-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-start-"));
  mkdirSync(join(root, ".ai/threads"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const row: HostRow = { host_id: "h", owner: "a:b:c:1:d", socket: null, scope: "*", beats: 0 };

/** As much of a world as is looked at: who hosts, who lives, and the time. */
function worldWith(hosts: () => readonly HostRow[]): World {
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const clock = { now: Date.now, monotonic: () => performance.now(), sleep };
  const machine = { ownerState: () => "alive" };
  return { clock, machine, store: { hosts: async () => hosts() } } as unknown as World;
}

test("a host that ends at once is told with the end of its log, and nobody waits", async () => {
  const program = ["sh", "-c", "echo no luck today; exit 7"];
  const at = performance.now();
  await expect(
    ensureHost(
      worldWith(() => []),
      { root, program },
    ),
  ).rejects.toMatchObject({
    code: "E_HOST_START",
    why: expect.stringMatching(/ended with exit code 7[\s\S]*no luck today/),
  });
  expect(performance.now() - at).toBeLessThan(8_000);
});

test("where somebody hosts already nothing is started; who has no door hosts all the same", async () => {
  await ensureHost(
    worldWith(() => [row]),
    { root, program: ["sh", "-c", "echo started"] },
  );
  expect(lastLines(root, 5)).toEqual([]);
  let looks = 0;
  const later = worldWith(() => (looks++ < 2 ? [] : [row]));
  await ensureHost(later, { root, program: ["sh", "-c", "echo another was first; exit 6"] });
  expect(lastLines(root, 5)).toEqual(["another was first"]);
});

test("a log that is too long begins anew, and its older part is kept", () => {
  writeFileSync(logPath(root), "x".repeat(4_000_001));
  openLog(root);
  expect(statSync(logPath(root)).size).toBe(0);
  expect(statSync(`${logPath(root)}.1`).size).toBe(4_000_001);
});
