/** Answers that are stored while what follows from them is not: who gave them is told, then and when they ask again. */
import { afterEach, expect, test, vi } from "vitest";
import { StorageFailure } from "../../src/core/failure.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { World } from "../../src/core/world.ts";
import type { House, OpenProject } from "../../src/surface/cli/house.ts";
import { play } from "../../src/surface/cli/play.ts";
import { Terminal } from "../../src/surface/cli/terminal.ts";
import { call, ID, stage } from "./stage.ts";

afterEach(() => vi.unstubAllEnvs());

const terminal = new Terminal(["--json"]);

/** The command line over a world on stage. */
async function told(world: World, ...argv: string[]): Promise<Problem | undefined> {
  vi.stubEnv("SELVAGE_THREAD", undefined);
  const project = { world, root: "/x", trusted: true, requireModel: () => {}, close: async () => {} };
  const house = {
    findProject: () => "/x",
    trustOf: () => ({ trusted: true, changedFiles: [] }),
    open: () => project as unknown as OpenProject,
  };
  return play([...argv, "--json"], house as unknown as House, terminal).then(
    () => undefined,
    (problem) => problem,
  );
}

async function asking() {
  const s = stage(
    [{ calls: [call("send")] }, { says: "done" }],
    [{ name: "send", effect: "keyed" }],
    {},
    { limits: { turns: 1 } },
  );
  await s.play();
  const [question] = await s.world.store.approvals({ states: ["open"] });
  const fill = () => {
    const full = () => Promise.reject(new StorageFailure("ENOSPC", "the disk is full"));
    // After the first failure not even a look is possible: to open the store again needs room too.
    const broken = () => {
      Object.assign(s.world.store, { commit: full, find: full, approvals: full });
      return full();
    };
    s.world.store.commit = broken;
  };
  return { ...s, id: question?.approval.approval_id ?? "", fill };
}

test.each(["approve", "deny"])("%s on a disk that fills up says that the answer is stored", async (verb) => {
  const { world, id, fill, first, universe, rehost } = await asking();
  fill();
  expect(await told(world, verb, id)).toMatchObject({
    code: "E_DISK",
    what: `The answer to ${id} is stored, but ${ID} could not go on with it.`,
    why: expect.stringContaining("the disk is full (ENOSPC)"),
    next: [{ cmd: `selvage recover ${ID}` }],
    threadId: ID,
  });
  await first.kill();
  const second = universe.open();
  for (const meant of [id, ID])
    expect(await told(second.world, verb, meant)).toMatchObject({
      code: meant === id ? "E_ALREADY_DECIDED" : "E_WRONG_STATE",
      why: expect.stringContaining("The answer is stored; its thread has not gone on, for nobody hosts it."),
      next: [{ cmd: `selvage recover ${ID}` }],
    });
  await rehost(second);
  const [row] = await second.world.store.find({ threadId: ID });
  expect(row?.status).toBe(verb === "approve" ? "completed" : "cancelled");
  expect(await told(second.world, verb, id)).toMatchObject({
    why: expect.not.stringContaining("is stored"),
    next: [{ cmd: `selvage show ${ID}` }],
  });
});

test("an answer that did not reach the store is not said to be there", async () => {
  const { world, id } = await asking();
  world.store.post = () => Promise.reject(new StorageFailure("ENOSPC", "the disk is full"));
  expect(await told(world, "approve", id)).toBeInstanceOf(StorageFailure);
});

test("a yes that leaves the thread where it is names the command that lets it go on", async () => {
  const { world, id } = await asking();
  expect(await told(world, "approve", id, "--no-resume")).toBeUndefined();
  expect(await told(world, "approve", id)).toMatchObject({
    code: "E_ALREADY_DECIDED",
    next: [{ cmd: `selvage resume ${ID}` }],
  });
});
