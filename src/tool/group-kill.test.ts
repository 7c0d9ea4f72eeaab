import { expect, test, vi } from "vitest";
import { endGroup, groupExists, signalGroup } from "./group-kill.ts";

test.each([1, 0, -1, Number.NaN])(
  "a group numbered %s is never signalled: kill(-1) means everybody",
  async (pgid) => {
    const kill = vi.spyOn(process, "kill").mockImplementation(() => true);
    try {
      signalGroup(pgid, "SIGKILL");
      await endGroup(pgid, 10);
      expect(groupExists(pgid)).toBe(false);
      expect(kill).not.toHaveBeenCalled();
    } finally {
      kill.mockRestore();
    }
  },
);

test("a group that does not exist is no failure", async () => {
  expect(groupExists(2 ** 30)).toBe(false);
  signalGroup(2 ** 30, "SIGKILL");
  await endGroup(2 ** 30, 10_000);
});
