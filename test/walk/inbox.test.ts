import { expect, test } from "vitest";
import { ID, rounds, stage } from "./stage.ts";

test("a cancel file for a thread whose model hangs is acted on at the same look", async () => {
  const s = stage([{ hangs: true }]);
  await s.make();
  const { store } = s.world;
  // as SQLite's data_version: own writes do not show
  (s.world as { store: unknown }).store = { ...store, version: () => 1 };
  const over = s.rehost();
  await s.seen("step_start");
  await rounds(5);
  const { nonce } = await s.row();
  const before = s.universe.clock.monotonic();
  s.universe.cancelFiles.push({ threadId: ID, nonce, reason: "r" });
  s.world.machine.ring(s.world.machine.owner);
  await over;
  expect((await s.row()).status).toBe("cancelled");
  expect(s.universe.clock.monotonic() - before).toBeLessThan(500);
});
