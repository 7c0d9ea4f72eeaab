import { expect, test } from "vitest";
import { Mailbox } from "./mailbox.ts";

test("what came is taken at once, in order, and once", async () => {
  const box = new Mailbox<number>();
  box.put(1);
  box.offer(2);
  expect(await box.take()).toEqual([1, 2]);
  const later = box.take();
  box.put(3);
  expect(await later).toEqual([3]);
});

test("what is too much for it is not kept, and it says so", async () => {
  const box = new Mailbox<number>();
  for (let item = 0; item < 1_000; item += 1) box.put(item);
  expect(box.isBehind).toBe(false);
  box.offer(1_000);
  expect(box.isBehind).toBe(false);
  box.put(1_001);
  expect(box.isBehind).toBe(true);
  expect(await box.take()).toEqual([]);
  box.isBehind = false;
  box.put(5);
  expect(await box.take()).toEqual([5]);
});

test("its end comes after what is in it", async () => {
  const box = new Mailbox<number>();
  box.put(1);
  box.end();
  expect(box.isOver).toBe(true);
  expect(await box.take()).toEqual([1]);
  expect(await box.take()).toBeUndefined();
});

test("an end that is a failure is thrown, and the first end counts", async () => {
  const box = new Mailbox<number>();
  const waiting = box.take();
  box.end(new Error("disk"));
  box.end();
  await expect(waiting).rejects.toThrow("disk");
  await expect(box.take()).rejects.toThrow("disk");
});

test("who fell behind and was told of the end has nothing to look up", async () => {
  const box = new Mailbox<number>();
  for (let item = 0; item < 1_002; item += 1) box.put(item);
  box.end();
  expect(await box.take()).toBeUndefined();
});
