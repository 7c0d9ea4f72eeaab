import { expect, test } from "vitest";
import { realMachine } from "./index.ts";

test("a machine knows that its own owner lives, and says the same of itself each time", () => {
  const machine = realMachine();
  expect(machine.ownerState(machine.owner)).toBe("alive");
  expect(realMachine().owner).toBe(machine.owner);
});

test("a machine hears itself ring", async () => {
  const machine = realMachine();
  const bell = await machine.listen();
  const heard = new Promise<void>((resolve) => bell.onRing(resolve));
  machine.ring(bell.socket!);
  await heard;
  await bell.close();
});
