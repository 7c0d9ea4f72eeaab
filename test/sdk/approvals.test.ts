import { expect, test } from "vitest";
import type { Question } from "../../src/surface/sdk/approvals.ts";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import { gate, stage, until } from "./stage.ts";

/** Asks for one more turn, once. */
function asking(name = "gate") {
  const { tool, release } = gate(name);
  release();
  return { prompt: "Hi", tools: [tool], model: scripted([tool({}), "Done."]), limits: { turns: 1 } };
}

test("a yes lets it go on, with what was proposed; nobody sees it stop", async () => {
  const { rt } = await stage().open();
  const asked: Question[] = [];
  rt.onApproval(async (question) => {
    asked.push(question);
    expect(await question.approve()).toBe(true);
  });
  const thread = await rt.start(asking());
  expect(await thread.result()).toMatchObject({ status: "completed", text: "Done." });
  expect(asked).toMatchObject([{ limit_code: "turns_exceeded", thread_id: thread.id, proposed_max: 2 }]);
  expect((await thread.look()).limits).toMatchObject({ turns: 2 });
  await rt.close();
});

test("a yes may have limits of its own, and bad ones leave the question open", async () => {
  const { rt, premises } = await stage().open();
  const told: string[] = [];
  premises.listen((notice) => {
    if (notice.type === "answer_refused") told.push(notice.message);
  });
  const stop = rt.onApproval((question) => question.approve({ limits: { turnz: 9 } }));
  const thread = await rt.start(asking());
  expect(await thread.result()).toMatchObject({ status: "suspended" });
  expect(told).toEqual([expect.stringContaining("so it stays open")]);
  stop();
  rt.onApproval((question) => question.approve({ limits: { turns: 9 }, message: "go" }));
  expect(await thread.result()).toMatchObject({ status: "completed" });
  expect((await thread.look()).limits).toMatchObject({ turns: 9 });
  await rt.close();
});

test("a no ends it", async () => {
  const { rt } = await stage().open();
  rt.onApproval((question) => question.deny("too dear"));
  const thread = await rt.start(asking());
  expect(await thread.result()).toMatchObject({ status: "cancelled" });
  await rt.close();
});

test("what is left waits for a person, and so does what the program fails at", async () => {
  const { rt } = await stage().open();
  const seen: string[] = [];
  rt.onApproval((question) => {
    seen.push("first");
    question.leave();
  });
  rt.onApproval(() => {
    seen.push("second");
    throw new Error("oh");
  });
  const thread = await rt.start(asking());
  expect(await thread.result()).toMatchObject({ status: "suspended", reason: "limit" });
  expect(await thread.result()).toMatchObject({ status: "suspended" });
  expect(seen).toEqual(["first", "second"]);
  await rt.close();
});

test("the first answer ends the round, and one more answer is not the first", async () => {
  const { rt } = await stage().open();
  const answers: boolean[] = [];
  rt.onApproval(async (question) => {
    answers.push(await question.approve(), await question.deny());
  });
  rt.onApproval(() => {
    throw new Error("nobody asks this one");
  });
  const thread = await rt.start(asking());
  expect(await thread.result()).toMatchObject({ status: "completed" });
  expect(answers).toEqual([true, false]);
  await rt.close();
});

test("those that are open when it begins are put too, each once", async () => {
  const { rt } = await stage().open();
  const threads = [await rt.start(asking("one")), await rt.start(asking("two"))];
  await Promise.all(threads.map((thread) => thread.result()));
  const seen: string[] = [];
  rt.onApproval((question) => void seen.push(question.thread_id));
  await Promise.all(threads.map((thread) => thread.result()));
  expect(seen.sort()).toEqual(threads.map(({ id }) => id).sort());
  await rt.close();
});

test("an answer that takes its time holds nobody else up, and is not waited for in vain", async () => {
  const { rt } = await stage().open();
  let answer: ((question: Question) => void) | undefined;
  const asked = new Promise<Question>((resolve) => {
    answer = resolve;
  });
  let done: (() => void) | undefined;
  rt.onApproval((question) => {
    if (question.directive === "left") return question.leave();
    answer?.(question);
    return new Promise<void>((resolve) => {
      done = resolve;
    });
  });
  const slow = await rt.start(asking());
  const question = await asked;
  const other = await rt.start({ prompt: "Hi", model: scripted(["Quick."]) });
  expect(await other.result()).toMatchObject({ status: "completed" });
  const left = await rt.start({ ...asking("left"), name: "left" });
  expect(await left.result()).toMatchObject({ status: "suspended" });
  await expect(slow.result({ timeout: 60 })).rejects.toMatchObject({ code: "E_TIMEOUT" });
  const waiting = slow.result();
  await question.approve();
  expect(await waiting).toMatchObject({ status: "completed" });
  done?.();
  await rt.close();
});

test("a program that another process hosts for is asked too", async () => {
  const { open } = stage();
  const host = await open();
  const guest = await open();
  const seen: string[] = [];
  guest.rt.onApproval((question) => {
    seen.push(question.thread_id);
    return question.approve();
  });
  const thread = await host.rt.start(asking());
  const here = await guest.rt.thread(thread.id);
  expect(await here.result()).toMatchObject({ status: "completed" });
  expect(seen).toEqual([thread.id]);
  await guest.rt.close();
  await host.rt.close();
});

test("an agent does not answer for a person", async () => {
  const { rt } = await stage().open();
  const refused: unknown[] = [];
  rt.onApproval(async (question) => {
    process.env["SELVAGE_THREAD"] = "t-1";
    try {
      await question.approve().catch((error) => refused.push(error));
    } finally {
      delete process.env["SELVAGE_THREAD"];
    }
  });
  const thread = await rt.start(asking());
  expect(await thread.result()).toMatchObject({ status: "suspended" });
  await until(() => refused.length > 0);
  expect(refused).toMatchObject([{ code: "E_AGENT" }]);
  await rt.close();
});
