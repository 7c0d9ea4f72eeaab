// What is told while a question waits for its answer, and how the stream of an answer ends.
import { afterEach, beforeEach, expect, test } from "vitest";
import { directive, Place, until } from "./cli.ts";

const CALL = "- says: more\n  calls: [{ tool: ls, input: {} }]\n";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...directive("work", "limits: { turns: 2 }\n"),
    ".ai/scripts/work.yaml": `${CALL.repeat(3)}- says: all done\n`,
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

async function asked(): Promise<{ id: string; ap: string }> {
  const { data } = await place.json("run", "work");
  return { id: data.thread_id, ap: data.approval };
}

test("a host that stays for an answer says until when, and how to give one", async () => {
  place.write({ ".ai/config/resilience.yaml": "approvals: { on_timeout: deny, timeout_seconds: 2 }\n" });
  const run = place.start(["run", "work"]);
  let told = "";
  run.child.stderr?.on("data", (bytes) => {
    told += bytes;
  });
  await until(() => /waits until \d\d:\d\d:\d\d for an answer/.test(told));
  expect(told).toMatch(
    /asks +selvage approve ap_[\s\S]*waits until[\s\S]*selvage approve ap_\S+ [\s\S]*selvage deny ap_/,
  );
  expect((await run.ended).code).toBe(4);
});

test("the stream of an answer that hosts its thread ends as that of any thread does", async () => {
  const { id, ap } = await asked();
  const { code, stdout } = await place.run(["approve", ap, "--jsonl"]);
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect({ code, ...last }).toMatchObject({
    ...{ code: 0, kind: "thread.result", ok: true, exit: 0 },
    data: { thread_id: id, status: "completed", answer: { approval_id: ap, state: "decided" } },
  });
  const second = await asked();
  const no = await place.run(["deny", second.ap, "--jsonl"]);
  expect(JSON.parse(no.stdout)).toMatchObject({ kind: "approval", data: { approval_id: second.ap } });
});

test("a yes can be taken down without letting the thread go on", async () => {
  const { id, ap } = await asked();
  const yes = await place.run(["approve", ap, "--no-resume"]);
  expect(yes).toMatchObject({ code: 0 });
  expect(yes.stdout).toContain(`${id} stays suspended: selvage resume ${id}`);
  expect((await place.json("show", id)).data).toMatchObject({ status: "suspended", limits: { turns: 4 } });
  const left = { approval_id: null, reason: "limit", state: "open", command: `selvage resume ${id}` };
  expect((await place.json("approvals")).data.approvals).toMatchObject([left]);
  expect(await place.ok("approvals")).toContain(`approved; waits for selvage resume ${id}`);
  expect((await place.json("status")).data).toMatchObject({
    next: `selvage resume ${id}`,
    needs_you: [left],
  });
  expect(await place.json("resume", id, "-m", "now")).toMatchObject({
    exit: 0,
    data: { status: "completed" },
  });
});
