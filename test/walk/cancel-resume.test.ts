import { expect, test } from "vitest";
import { applyRequests } from "../../src/runtime/index.ts";
import { call, ID, stage } from "./stage.ts";

const dead = { fails: { status: 503 } };

test.each(["hosted", "alone"])("a cancel that is stored before a resume is taken holds: %s", async (how) => {
  const s = stage(
    [dead, dead, dead, dead, { calls: [call("send")] }, { says: "x" }],
    [{ name: "send", effect: "manual" }],
  );
  await s.play();
  expect((await s.row()).status).toBe("suspended");
  await s.ask({ kind: "resume" });
  const { load } = s.world.store;
  let isFirst = true;
  s.world.store.load = async (threadId) => {
    // Claimed with the resume in hand; somebody cancels while it is being loaded.
    if (isFirst) {
      isFirst = false;
      await s.ask({ kind: "cancel" });
    }
    return load(threadId);
  };
  if (how === "hosted") await s.rehost();
  else await applyRequests(s.world, ID, 1_000);
  expect((await s.row()).status).toBe("cancelled");
  expect(s.universe.effects).toEqual([]);
  expect(await s.world.store.openRequests(ID)).toEqual([]);
});
