// One decision ever (P11): a hundred processes answer one question at the same time.
import { afterEach, beforeEach, expect, test } from "vitest";
import { directive, type Ended, Place } from "./cli.ts";

const PROCESSES = 100;
/** Enough to collide, few enough for a machine with two cores. */
const AT_ONCE = 12;

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...directive("work", "limits: { turns: 1 }\n"),
    ".ai/scripts/work.yaml": `- says: one\n  calls: [{ tool: bash, input: { command: "echo one" } }]\n- says: done\n`,
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

test("100 processes approve or deny one question: one is accepted, 99 learn who decided", async () => {
  const ap: string = (await place.json("run", "work")).data.approval;
  const ended: Ended[] = [];
  let next = 0;
  const worker = async () => {
    while (next < PROCESSES) {
      const verb = next % 2 === 0 ? "approve" : "deny";
      next += 1;
      ended.push(await place.run([verb, ap, "--json"]));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const accepted = ended.filter(({ code }) => code === 0);
  expect(accepted).toHaveLength(1);
  const { by, approved } = JSON.parse(accepted[0]!.stdout).data.decided;
  const refused = ended.filter(({ code }) => code !== 0).map(({ stdout }) => JSON.parse(stdout));
  expect(refused).toHaveLength(PROCESSES - 1);
  for (const { exit, error } of refused) {
    expect({ exit, code: error.code }).toEqual({ exit: 6, code: "E_ALREADY_DECIDED" });
    expect(error.why).toContain(`${approved ? "approved" : "denied"} by ${by} (cli)`);
  }
  const { data } = await place.json("show", "@last");
  expect(data.status).toBe(approved ? "completed" : "cancelled");
  const { events } = (await place.json("logs", "@last")).data;
  const decided = events.filter(({ type }: { type: string }) => type === "approval_decided");
  expect(decided).toHaveLength(1);
  expect((await place.json("verify")).exit).toBe(0);
}, 120_000);
