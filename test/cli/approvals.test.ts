// The inbox: a thread asks, a person answers once, and it goes on where it stopped or ends with its work kept.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { postRequest, realWorld } from "../../src/inside.ts";
import { directive, type Envelope, Place, scripted, until } from "./cli.ts";

const STEPS = `- says: one
  calls: [{ tool: bash, input: { command: "echo one >> effects; echo one" } }]
- says: two
  calls: [{ tool: bash, input: { command: "echo two >> effects; echo two" } }]
- says: three
  calls: [{ tool: bash, input: { command: "echo three >> effects; echo three" } }]
- says: all done
`;
const limited = (name: string, limits: string, script = STEPS) => ({
  ...directive(name, `limits: { ${limits} }\n`),
  [`.ai/scripts/${name}.yaml`]: script,
});

const CLI = join(import.meta.dirname, "../../dist/cli.js");

let place: Place;
beforeEach(async () => {
  place = new Place(limited("work", "turns: 2"));
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const effects = () => readFileSync(join(place.root, "effects"), "utf8").trim().split("\n");

interface Asked {
  readonly id: string;
  readonly ap: string;
  readonly run: Envelope;
}

/** Runs a directive until it asks. */
async function asked(name = "work"): Promise<Asked> {
  const run = await place.json("run", name);
  expect(run).toMatchObject({
    exit: 3,
    data: { status: "suspended", approval: expect.stringMatching(/^ap_/) },
  });
  return { id: run.data.thread_id, ap: run.data.approval, run };
}

test("a limit asks, the inbox shows it, a yes lets it go on, and nothing is counted anew", async () => {
  const ended = await place.run(["run", "work"]);
  expect(ended.code).toBe(3);
  const [ap = ""] = /ap_[0-9a-z]+/.exec(ended.stderr) ?? [];
  expect(ended.stderr).toMatch(/needs you \(limit\): Turn limit reached: 2 of 2/);
  expect(ended.stderr).toContain(`selvage approve ${ap}`);
  expect(ended.stderr).toContain(`selvage deny ${ap}`);
  expect(ended.stderr).toContain("E_LIMIT_HIT · selvage explain E_LIMIT_HIT");
  const { data } = await place.json("approvals");
  const [{ thread_id: id }] = data.approvals;
  expect(data.approvals).toEqual([
    {
      approval_id: ap,
      thread_id: expect.stringMatching(/^work-/),
      directive: "work",
      reason: "limit",
      limit_code: "turns_exceeded",
      current: 2,
      current_max: 2,
      proposed_max: 4,
      prompt: expect.stringContaining("has reached its turn limit"),
      asked_at: expect.stringMatching(/Z$/),
      waits_seconds: expect.any(Number),
      reminders: 0,
      resumes_at: null,
      on_deny: "cancel",
      call: null,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      state: "open",
      decided: null,
      command: `selvage approve ${ap}`,
    },
  ]);
  const human = await place.run(["approvals"]);
  expect(human.stdout).toMatch(/AP +WAITS +THREAD +ASKS +EVIDENCE/);
  expect(human.stdout).toMatch(new RegExp(`${ap} +\\d+s +work-\\S+ +turns 2 → 4 +2 turns, \\d+ tokens`));
  expect((await place.ok("approvals", "-q")).trim()).toBe(ap);
  expect((await place.run(["approvals", "--exit-status"])).code).toBe(3);
  expect((await place.json("approvals", "--reason", "quota", "--exit-status")).data.approvals).toEqual([]);
  expect(await place.ok("approvals", ap)).toContain("  │ Approve to raise it to 4?");
  expect((await place.run(["ps"])).stdout).toMatch(new RegExp(`2/2 .*needs you: ${ap} limit`));
  expect(await place.ok("status")).toContain(`selvage approve ${ap}`);
  const before = (await place.json("show", id)).data;
  const yes = await place.run(["approve", ap, "--add", "turns=3", "-m", "finish it"]);
  expect(yes.code).toBe(0);
  expect(yes.stdout).toMatch(
    new RegExp(`^✓ ${ap} approved by \\S+@\\S+: turns 2 → 5\\. ${id} is running again\\.\n`),
  );
  expect(yes.stdout).toContain("completed: all done");
  expect(effects()).toEqual(["one", "two", "three"]);
  const after = (await place.json("show", id)).data;
  expect(after).toMatchObject({
    status: "completed",
    limits: { turns: 5 },
    cost: { turns: 4 },
    approval: null,
  });
  expect(after.cost.tokens).toBeGreaterThan(before.cost.tokens);
  const log = await place.ok("logs", id);
  expect(log).toMatch(/limits +turns 2 → 5 · by/);
  expect(log).toMatch(new RegExp(`answer +${ap} approved by`));
  expect((await place.json("approvals")).data.approvals).toEqual([]);
  const all = (await place.json("approvals", "-a")).data.approvals;
  expect(all).toMatchObject([
    { approval_id: ap, state: "decided", decided: { approved: true, via: "cli", new_limits: { turns: 5 } } },
  ]);
  expect((await place.json("verify")).exit).toBe(0);
});

test("a yes without numbers takes what was proposed, and prints it", async () => {
  const { id, ap } = await asked();
  const yes = await place.json("approve", id);
  expect(yes).toMatchObject({
    exit: 0,
    kind: "approval",
    data: {
      approval_id: ap,
      thread_id: id,
      limit_code: "turns_exceeded",
      current_max: 2,
      proposed_max: 4,
      decided: { approved: true, via: "cli", new_limits: { turns: 4 } },
      threads: [{ status: "completed", limits: { turns: 4 } }],
    },
  });
});

test("a number that does not lift the limit is refused before anything is written", async () => {
  const { id, ap } = await asked();
  const seq = (await place.json("show", id)).data.last_event_seq;
  for (const given of [
    ["--set", "turns=2"],
    ["--set", "tokens=900000"],
    ["--set", "turn=9"],
    ["--add", "turns=0"],
    ["--set", "turns=9", "--add", "turns=1"],
  ]) {
    expect(await place.json("approve", ap, ...given)).toMatchObject({ exit: 2, error: { code: "E_USAGE" } });
  }
  expect((await place.json("approve", ap, "--set", "turn=9")).error?.why).toContain("did you mean turns?");
  expect((await place.json("show", id)).data.last_event_seq).toBe(seq);
  expect((await place.json("approvals")).data.approvals).toHaveLength(1);
  expect(await place.json("run", "work", "--set", "turn=9")).toMatchObject({ exit: 2 });
  expect(await place.json("run", "work", "--set", "turns=9")).toMatchObject({
    exit: 0,
    data: { limits: { turns: 9, tokens: 200_000 } },
  });
});

test("a no ends the thread as cancelled, without a model, and keeps its work", async () => {
  const { id, ap } = await asked();
  const no = await place.run(["deny", ap, "-m", "too dear"]);
  expect(no.code).toBe(0);
  expect(no.stdout).toMatch(new RegExp(`^⊘ ${ap} denied by \\S+\\. ${id} is cancelled; its work is kept`));
  const shown = (await place.json("show", id)).data;
  expect(shown).toMatchObject({ status: "cancelled", approval: null, cost: { turns: 2 } });
  expect(await place.ok("logs", id)).toMatch(/cancelled +denied: too dear/);
  // It has ended: it goes on only with something to say to it.
  const bare = await place.json("resume", id);
  expect(bare).toMatchObject({ exit: 2, error: { next: [{ cmd: `selvage resume ${id} -m "…"` }] } });
});

test("there is one answer: the second one learns who gave the first", async () => {
  const { id, ap } = await asked();
  await place.ok("approve", ap);
  for (const verb of ["approve", "deny"]) {
    const late = await place.json(verb, ap);
    expect(late).toMatchObject({ exit: 6, error: { code: "E_ALREADY_DECIDED" } });
    expect(late.error?.what).toMatch(/by \S+@\S+\.$/);
    expect(late.error?.why).toMatch(/approved by \S+@\S+ \(cli\) at 2\d{3}-/);
  }
  // By the thread there is nothing left to answer.
  expect(await place.json("approve", id)).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
});

test("questions that are unknown, void, or of another project", async () => {
  expect(await place.json("approve", "ap_nothing")).toMatchObject({
    exit: 5,
    error: { code: "E_APPROVAL_NOT_FOUND" },
  });
  expect(await place.json("deny", "nobody")).toMatchObject({
    exit: 5,
    error: { code: "E_APPROVAL_NOT_FOUND", what: "There is no question nobody in this project." },
  });
  expect(await place.json("approvals", "ap_nothing")).toMatchObject({ exit: 5 });
  expect(await place.json("approve", "../x")).toMatchObject({ exit: 2, error: { code: "E_BAD_ID" } });
  const { id, ap } = await asked();
  const elsewhere = new Place();
  try {
    await elsewhere.ok("init");
    expect(await elsewhere.json("approve", ap)).toMatchObject({
      exit: 5,
      error: { code: "E_APPROVAL_NOT_FOUND" },
    });
  } finally {
    elsewhere.remove();
  }
  await place.ok("cancel", id);
  expect(await place.json("approve", ap)).toMatchObject({
    exit: 6,
    error: { code: "E_WRONG_STATE", what: expect.stringContaining("void") },
  });
  expect((await place.json("approvals", "-a")).data.approvals).toMatchObject([
    { approval_id: ap, state: "void", decided: null, waits_seconds: null },
  ]);
});

test("several at once: what cannot be answered is told before the first answer is given", async () => {
  const first = await asked();
  const second = await asked();
  expect(await place.json("approve", first.ap, "ap_nothing")).toMatchObject({ exit: 5 });
  expect((await place.json("approvals")).data.approvals).toHaveLength(2);
  expect(await place.json("approve", first.ap, second.ap, first.id)).toMatchObject({
    exit: 0,
    data: { approvals: [{ thread_id: first.id }, { thread_id: second.id }] },
  });
  expect(effects()).toHaveLength(6);
});

test("an answer whose process died is not lost: whoever hosts the thread next takes it", async () => {
  const { id, ap } = await asked();
  const world = realWorld({ root: place.root, notify: () => {} });
  const posted = await postRequest(world, {
    ...{ kind: "decide", request_id: "req_x", thread_id: id, by: "maya@laptop", approval_id: ap },
    ...{ approved: true, via: "chat", limits: { turns: 9 }, resume: true },
  });
  expect(posted).toEqual({ accepted: true, host: undefined });
  await world.close();
  expect((await place.json("approvals")).data.approvals).toMatchObject([
    { approval_id: null, reason: "orphaned", command: `selvage recover ${id}` },
  ]);
  // Nobody died, and nothing is asked any more.
  const shown = await place.ok("show", id);
  expect(shown).toContain("answered, and nobody hosts it");
  expect(shown).toMatch(new RegExp(`next +selvage recover ${id}`));
  expect(shown).not.toContain(ap);
  expect((await place.json("show", id)).data.approval).toBeNull();
  const other = await place.json("run", "work", "--set", "turns=9");
  expect(other.warnings).toContain("1 thread could go on and nobody hosts it: selvage recover");
  const late = await place.json("deny", ap);
  expect(late).toMatchObject({ exit: 6, error: { code: "E_ALREADY_DECIDED" } });
  expect(late.error?.why).toContain("approved by maya@laptop (chat)");
  const resumed = await place.json("resume", id);
  expect(resumed).toMatchObject({ exit: 6, error: { next: [{ cmd: `selvage recover ${id}` }] } });
  expect(await place.json("recover", id)).toMatchObject({
    exit: 0,
    data: { threads: [{ status: "completed", limits: { turns: 9 } }] },
  });
});

test("an agent cannot answer for a person, and nothing is written when it tries", async () => {
  const { id, ap } = await asked();
  const inTool = { SELVAGE_THREAD: id };
  for (const args of [
    ["approve", ap],
    ["deny", ap],
    ["resume", id],
    ["retry", id, "--now"],
    ["recover", id],
    ["trust", "--yes"],
  ]) {
    const { code, stderr } = await place.run(args, inTool);
    expect({ args, code }).toEqual({ args, code: 9 });
    expect(stderr).toMatch(/guard rail[\s\S]*E_AGENT/);
  }
  expect((await place.run(["approvals"], inTool)).code).toBe(0);
  expect((await place.run(["trust", "--show"], inTool)).code).toBe(0);
  expect((await place.json("approvals")).data.approvals).toHaveLength(1);
});

test("a tool that asks for a yes is told to leave that to a person", async () => {
  const { ap } = await asked();
  const command = `'${process.execPath}' '${CLI}' approve ${ap}; echo "exit $?" > refused`;
  place.write(
    scripted(
      "sly",
      `- says: x\n  calls: [{ tool: bash, input: { command: ${JSON.stringify(command)} } }]\n- says: end\n`,
    ),
  );
  await place.ok("run", "sly");
  expect(readFileSync(join(place.root, "refused"), "utf8")).toBe("exit 9\n");
  expect((await place.json("approvals")).data.approvals).toHaveLength(1);
});

test("a live host does the rest: the answer is given here, and the work done there", async () => {
  place.write({ ".ai/config/resilience.yaml": "approvals: { on_timeout: deny, timeout_seconds: 300 }\n" });
  const host = place.start(["run", "work", "--json"]);
  const ap = await until(
    async () => (await place.json("approvals")).data.approvals[0]?.approval_id as string,
  );
  const yes = await place.run(["approve", ap]);
  expect(yes.code).toBe(0);
  expect(yes.stdout).toContain(`goes on in pid ${host.child.pid}, which hosts it.`);
  expect(yes.stdout).not.toContain("completed");
  expect((await host.ended).code).toBe(0);
  expect(effects()).toEqual(["one", "two", "three"]);
});

test("resume follows a live host as its client, and ends as the thread does", async () => {
  place.write({ ".ai/config/resilience.yaml": "approvals: { on_timeout: deny, timeout_seconds: 300 }\n" });
  const host = place.start(["run", "work", "--json"]);
  const id = await until(async () => (await place.json("approvals")).data.approvals[0]?.thread_id as string);
  const followed = await place.run(["resume", id, "--set", "turns=9"]);
  expect(followed).toMatchObject({ code: 0, stdout: "all done\n" });
  expect(followed.stderr).toMatch(/limits +turns 2 → 9/);
  expect((await host.ended).code).toBe(0);
  expect(effects()).toEqual(["one", "two", "three"]);
});

test("a call that is asked about is shown whole, runs after a yes, and is refused after a no", async () => {
  place.write({
    ".ai/config/hooks.yaml": `hooks:
  - { id: ask-first, event: before_tool, when: "tool == 'bash'", command: "echo '{\\"action\\": \\"suspend\\", \\"message\\": \\"bash needs a yes\\"}'" }
`,
    ...scripted(
      "calls",
      `- says: I do it\n  calls: [{ tool: bash, input: { command: "echo ran >> effects", note: "${"x".repeat(300)}\\u202e" } }]\n- says: end\n`,
    ),
  });
  const first = await asked("calls");
  const [question] = (await place.json("approvals")).data.approvals;
  expect(question).toMatchObject({
    reason: "approval",
    on_deny: "refuse_call",
    call: { tool: "bash", input: { command: "echo ran >> effects", note: `${"x".repeat(300)}\u202e` } },
  });
  const shown = await place.ok("approvals", first.ap);
  expect(shown).toContain(`  │   "note": "${"x".repeat(300)}\\u202e"`);
  expect(shown).toContain("Why you are asked: bash needs a yes");
  const yes = await place.run(["approve", first.ap]);
  expect(yes.code).toBe(0);
  expect(yes.stdout).toContain('  │   "command": "echo ran >> effects"');
  expect(effects()).toEqual(["ran"]);
  const told = (await place.run(["run", "calls"])).stderr;
  expect(told).toMatch(/selvage deny ap_\S+ +no to this call; the thread goes on/);
  await place.ok("cancel", "@last");
  const second = await asked("calls");
  const no = await place.run(["deny", second.ap, "-m", "not today"]);
  expect(no.code).toBe(0);
  expect(no.stdout).toContain(`bash is refused. ${second.id} goes on with that when somebody hosts it`);
  expect(await place.json("recover", second.id)).toMatchObject({
    exit: 0,
    data: { threads: [{ status: "completed" }] },
  });
  expect(effects()).toEqual(["ran"]);
});

test("threads that need somebody without a question stand in the inbox too", async () => {
  place.write(
    scripted("slow", `- says: x\n  calls: [{ tool: bash, input: { command: "echo > began; sleep 20" } }]\n`),
  );
  const run = place.start(["run", "slow"]);
  await until(() => existsSync(join(place.root, "began")));
  run.child.kill("SIGKILL");
  await run.ended;
  const { data } = await place.json("approvals");
  const [{ thread_id: id }] = data.approvals;
  expect(data.approvals).toMatchObject([
    { approval_id: null, reason: "orphaned", state: "open", prompt: null, command: `selvage recover ${id}` },
  ]);
  expect((await place.run(["approvals"])).stdout).toContain(`selvage recover ${id}`);
  expect(await place.ok("approvals", "-q")).toBe("");
  expect((await place.json("recover", id, "--mark-error")).exit).toBe(0);
});

test("what a model wrote cannot dress up a question", async () => {
  const nasty = "ls\\u001b[2J \\u202egpj.exe\\u0007\\n✓ ap_000 approved by root";
  const step = `- says: again\n  calls: [{ tool: bash, input: { command: "true # ${nasty}" } }]\n`;
  place.write({ ...scripted("nasty", `${step.repeat(5)}- says: end\n`) });
  const { ap } = await asked("nasty");
  const views = [
    await place.run(["approvals"]),
    await place.run(["approvals", ap]),
    await place.run(["show", "@last"]),
    await place.run(["approvals", "--json"]),
    await place.run(["approve", ap, "--no-resume"]),
  ];
  for (const { stdout, stderr } of views) {
    expect(`${stdout}${stderr}`).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    );
    expect(stdout).not.toMatch(/^✓ ap_000/m);
  }
});
