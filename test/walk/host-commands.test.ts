/** What a host is asked on its door, without the door. */
import { expect, test } from "vitest";
import { hostCommands } from "../../src/surface/host/host-commands.ts";
import { respond } from "../../src/surface/host/protocol.ts";
import { ID, stage } from "./stage.ts";

async function desk() {
  const { make, world } = stage([{ says: "done" }]);
  await make();
  const allowed: string[] = [];
  const commands = hostCommands({
    ...{ world, version: "1", since: "", chat: () => undefined, shutDown: () => {} },
    allow: async (chains) => {
      allowed.push(...chains);
    },
  });
  const recover = (...threads: string[]) =>
    respond(Buffer.from(JSON.stringify({ id: 1, type: "recover", threads })), commands);
  return { allowed, recover };
}

test("threads are taken up by any id that means one, each chain once", async () => {
  const { allowed, recover } = await desk();
  expect(await recover(ID, "story-")).toMatchObject({ success: true, data: { threads: 1 } });
  expect(allowed).toEqual([ID]);
});

test.each([
  ["an unknown one", ["nobody-1-abcdef"], "E_THREAD_NOT_FOUND", "There is no thread nobody-1-abcdef."],
  ["one that is nearly right", [`${ID}x`], "E_THREAD_NOT_FOUND", `Close to it: ${ID}`],
  ["no id at all", ["../x"], "E_BAD_ID", '"../x" is no thread id.'],
  ["several", [ID, "a-1-abcdef", "b-1-abcdef"], "E_THREAD_NOT_FOUND", "a-1-abcdef. There is no thread b-1"],
])("%s is named, and nothing is taken up", async (_, threads, code, text) => {
  const { allowed, recover } = await desk();
  const answer = await recover(...threads);
  expect(answer).toMatchObject({ id: 1, success: false, code, error: expect.stringContaining(text) });
  expect(answer?.error).toContain("Nothing was taken up.");
  expect(allowed).toEqual([]);
});

test("of thousands that are wrong a few are named", async () => {
  const { recover } = await desk();
  const answer = await recover(...Array.from({ length: 2_000 }, (_, at) => `n${at}-1-abcdef`));
  expect(answer?.error?.match(/There is no thread/g)).toHaveLength(5);
});
