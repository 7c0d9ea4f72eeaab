/** Threads of one tree talk in a channel (O6): in turn or whenever they like, each word heard once, nobody waits for ever. */
import { describe, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import type { Story } from "../../src/testing/index.ts";
import { readThread } from "../../src/testing/index.ts";
import { outputs, send, spawn } from "./family.ts";
import { call, ID, rounds, stage } from "./stage.ts";

const talk = (action: string, more: Record<string, unknown> = {}) =>
  call("channel", { action, channel: "plan", ...more });
const join = (mode?: string) => talk("join", mode ? { mode } : {});
const post = (text: string) => talk("post", { text });
const read = (more: Record<string, unknown> = {}) => talk("read", more);
const turn = (...calls: { tool: string; input: unknown }[]) => ({ calls });
const done = { says: "done" };

type Children = NonNullable<Story["children"]>;
const child = (...steps: Story["steps"]): Children[string] => ({
  steps: [...steps, done],
  limits: { spend: "1.00" },
});

/** Who is there before the other starts it comes first: ann starts bob. */
function pair(ann: Story["steps"], bob: Story["steps"], more: Children = {}) {
  const begun = [turn(join()), turn(spawn("bob"))];
  const children = {
    ann: { ...child(...begun, ...ann), limits: { spend: "4.00" } },
    bob: child(...bob),
    ...more,
  };
  return stage(
    [turn(spawn("ann", { wait: true })), done],
    [{ ...send, rounds: 400 }],
    {},
    {
      children,
      limits: { spend: "9.00" },
    },
  );
}

async function journalOf(s: ReturnType<typeof stage>, directive: string): Promise<readonly Event[]> {
  const rows = await s.world.store.find({});
  const row = rows.find((each) => each.directive === directive);
  return (await readThread(s.world, row?.thread_id ?? "")).events;
}
const said = async (s: ReturnType<typeof stage>, directive: string) =>
  outputs(await journalOf(s, directive), "channel").slice(1);
const texts = (result: { posts: { text: string }[] }) => result.posts.map(({ text }) => text);

describe("round robin", () => {
  test("one after the other; each word reaches the other once; the turns cost nothing", async () => {
    const s = pair(
      [turn(read()), turn(post("a1")), turn(read()), turn(post("a2"))],
      [turn(join()), turn(read()), turn(post("b1")), turn(read())],
    );
    await s.play();
    const [first, posted, second] = await said(s, "ann");
    expect(first).toMatchObject({
      mode: "round_robin",
      posts: [],
      your_turn: true,
      members: [expect.stringMatching(/^bob-/)],
    });
    expect(posted).toMatchObject({ status: "posted", to: [expect.stringMatching(/^bob-/)] });
    expect(second).toMatchObject({ your_turn: true });
    expect(texts(second)).toEqual(["b1"]);
    const [heard, , again] = await said(s, "bob");
    expect([texts(heard), heard.your_turn, texts(again), again.your_turn]).toEqual([
      ["a1"],
      true,
      ["a2"],
      true,
    ]);
    expect(s.oracle.broken).toEqual([]);
  });

  test("out of turn nothing is posted, and it is said whose turn it is", async () => {
    const s = pair(
      [turn(read()), turn(post("a1")), turn(post("a2")), turn(read())],
      [turn(join()), turn(read())],
    );
    await s.play();
    const [, , refused, last] = await said(s, "ann");
    expect(refused).toMatch(
      /^It is the turn of bob-\S+ in the channel plan\. A read waits until it is yours\.$/,
    );
    // Bob ended without a word: its turn is nobody's any more.
    expect(last).toMatchObject({ posts: [], members: [], note: "Nobody else is in the channel any more." });
    expect(texts((await said(s, "bob"))[0])).toEqual(["a1"]);
  });

  test.each<[string, Story["steps"], string]>([
    ["leaves", [turn(join()), turn(read()), turn(talk("leave"))], "left"],
    ["ends", [turn(join()), turn(read())], "ended"],
    ["fails", [turn(join()), turn(read()), { fails: { status: 401 } }], "ended"],
  ])("a member that %s is passed over", async (_, bob, what) => {
    const s = pair(
      [
        turn(spawn("cat")),
        turn(call("send")),
        turn(read()),
        turn(post("a1")),
        turn(read()),
        turn(post("a2")),
      ],
      bob,
      { cat: child(turn(join()), turn(read()), turn(post("c1")), turn(read())) },
    );
    await s.play();
    const ann = await said(s, "ann");
    const [, , turns] = ann;
    expect([texts(turns), turns.your_turn]).toEqual([["c1"], true]);
    const told = (await journalOf(s, "cat")).filter((event) => event.type === "channel_heard");
    expect(told.map((event) => ("what" in event ? event.what : ""))).toContain(what);
    expect(s.oracle.broken).toEqual([]);
  });

  test("who waits longer than it may is told whose turn it is; it may wait again", async () => {
    const s = pair(
      [turn(read()), turn(post("a1")), turn(read({ timeout: 30 })), turn(read({ timeout: 0 })), turn(read())],
      [
        turn(join()),
        { fails: { status: 429, retry_after_ms: 60_000 } },
        turn(read()),
        turn(post("b1")),
        turn(read()),
      ],
    );
    await s.play();
    const [, , late, look, last] = await said(s, "ann");
    expect(late).toMatchObject({
      ...{ posts: [], your_turn: false, turn_of: expect.stringMatching(/^bob-/), elapsed_seconds: 30 },
      note: "Its time is up, and it is the turn of another.",
    });
    expect(look).toMatchObject({ your_turn: false, elapsed_seconds: 0 });
    expect([texts(last), last.your_turn]).toEqual([["b1"], true]);
    const waits = (await journalOf(s, "ann")).filter(
      (event) => event.type === "wait_finished" && event.call_id !== null,
    );
    expect(waits.map((event) => ("why" in event ? event.why : ""))).toEqual(
      ["turn", "timeout", "turn"].slice(-waits.length),
    );
    expect(waits.length).toBeGreaterThan(1);
  });

  test("alone and early it waits for somebody; what nobody would hear is not posted", async () => {
    const s = stage(
      [turn(join()), turn(post("hello")), turn(read({ timeout: 5 })), turn(spawn("bob")), turn(read()), done],
      [],
      {},
      { children: { bob: child(turn(join()), turn(talk("leave"))) }, limits: { spend: "9.00" } },
    );
    await s.play();
    const [unheard, early, last] = outputs(await s.events(), "channel").slice(1);
    expect(unheard).toMatch(/^Nobody else is in the channel plan, so nobody would hear it\./);
    expect(early).toMatchObject({
      posts: [],
      members: [],
      note: "Nobody else has come yet.",
      elapsed_seconds: 5,
    });
    // Depending on who is first it has the turn, or bob has gone again.
    expect(last.your_turn ?? last.note).toBeTruthy();
  });

  test("a cancel ends the wait of its thread, and the others go on without it", async () => {
    const s = pair(
      [turn(read()), turn(post("a1")), turn(read())],
      [turn(join()), turn(read()), turn(call("send")), { says: "b" }],
    );
    const played = s.play();
    await s.seen("channel_posted");
    const rows = await s.world.store.find({});
    const bob = rows.find(({ directive }) => directive === "bob");
    await s.ask({ kind: "cancel", thread_id: bob?.thread_id ?? "", nonce: bob?.nonce ?? "" });
    await played;
    const last = (await said(s, "ann")).at(-1);
    expect(last).toMatchObject({ posts: [], note: "Nobody else is in the channel any more." });
    expect((await s.thread()).status).toBe("completed");
  });
});

describe("on demand", () => {
  const start = [turn(join("on_demand")), turn(spawn("bob"))];
  const demand = (ann: Story["steps"], bob: Story["steps"]) =>
    stage(
      [turn(spawn("ann", { wait: true })), done],
      [{ ...send, rounds: 3 }],
      {},
      {
        children: { ann: { ...child(...start, ...ann), limits: { spend: "4.00" } }, bob: child(...bob) },
        limits: { spend: "9.00" },
      },
    );

  test("whoever likes posts; a read hands over what came since the last, in order, and waits only when asked", async () => {
    const s = demand(
      [turn(read()), turn(read({ timeout: 600 })), turn(read({ timeout: 600 })), turn(read())],
      [turn(join()), turn(post("b1"), post("b2")), turn(call("send")), turn(post("b3"))],
    );
    await s.play();
    const reads = (await said(s, "ann")).slice(0);
    expect(reads.flatMap(texts)).toEqual(["b1", "b2", "b3"]);
    expect(reads.every((each) => each.your_turn === undefined)).toBe(true);
  });

  test("the mode of a channel is its first member's", async () => {
    const s = demand(
      [turn(read({ timeout: 600 }))],
      [
        turn(join("round_robin")),
        turn(join()),
        turn(join()),
        turn(post("b1")),
        turn(talk("leave")),
        turn(post("x")),
      ],
    );
    await s.play();
    const bob = outputs(await journalOf(s, "bob"), "channel");
    expect(bob[0]).toBe("The channel plan is on_demand.");
    expect(bob.slice(1, 3)).toEqual([
      expect.objectContaining({ status: "joined", mode: "on_demand" }),
      expect.objectContaining({ status: "joined", mode: "on_demand" }),
    ]);
    expect(bob.at(-1)).toMatch(/^This thread is not in the channel plan\. Join it first/);
    expect((await journalOf(s, "bob")).filter(({ type }) => type === "channel_joined")).toHaveLength(1);
  });
});

test.each([
  [{ action: "post", channel: "plan" }, "text: post needs it, and nothing else has it"],
  [{ action: "read", channel: "plan", text: "x" }, "text: post needs it"],
  [{ action: "read", channel: "plan", mode: "on_demand" }, "mode: only join has it"],
  [{ action: "join", channel: "plan", timeout: 1 }, "timeout: only read has it"],
  [{ action: "join", channel: "a b" }, "channel"],
  [{ action: "shout", channel: "plan" }, "action"],
  [{ action: "post", channel: "plan", text: "x".repeat(8_001) }, "text"],
])("%j is complained about", async (input, complaint) => {
  const s = stage([turn(call("channel", input)), done], [], {}, { children: {} });
  await s.play();
  const [result] = outputs(await s.events(), "channel");
  expect(result).toContain(complaint);
});

test("it needs its right", async () => {
  const s = stage(
    [turn(join()), done],
    [],
    {},
    {
      children: {},
      rights: { permissions: ["selvage.execute.tool.thread_tool", "selvage.execute.directive.*"] },
    },
  );
  await s.play();
  const [result] = outputs(await s.events(), "channel");
  expect(result).toContain("execute.tool.channel");
  expect((await s.events()).some(({ type }) => type === "channel_joined")).toBe(false);
});

test("a wait survives the death of its host, and ends as it would have", async () => {
  const s = pair(
    [turn(read()), turn(post("a1")), turn(read()), turn(post("a2"))],
    [turn(join()), turn(read()), turn(call("send")), turn(post("b1")), turn(read())],
  );
  s.play().catch(() => {});
  await s.seen("channel_posted");
  await s.first.kill();
  const second = s.universe.open();
  await s.play(second);
  await rounds(2);
  const rows = await second.world.store.find({});
  expect(rows.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  const ann = rows.find(({ directive }) => directive === "ann");
  const { events } = await readThread(second.world, ann?.thread_id ?? "");
  expect(events.filter(({ type }) => type === "channel_posted")).toHaveLength(2);
  expect(texts(outputs(events, "channel")[3])).toEqual(["b1"]);
  expect(ID).toBe(rows.at(-1)?.thread_id);
});

test("a thread that is handed on keeps its place: it hears what came, and posts in its turn", async () => {
  const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
  const ann = child(
    { calls: [join()], usage: used(100) },
    { calls: [spawn("bob")], usage: used(100) },
    { calls: [read()], usage: used(100) },
    { calls: [post("a1")], usage: used(950) },
    { calls: [read()], usage: used(100) },
    { calls: [post("a2")], usage: used(100) },
  );
  const s = stage(
    [turn(spawn("ann", { wait: true })), done],
    [],
    {},
    {
      children: {
        ann: { ...ann, limits: { spend: "5.00" } },
        bob: child(turn(join()), turn(read()), turn(post("b1")), turn(read())),
        thread_summary: { steps: [{ says: "## Notes" }] },
      },
      limits: { spend: "9.00" },
      model: { window: 1_000 },
    },
  );
  await s.play();
  const chain = (await s.world.store.find({})).filter(({ directive }) => directive === "ann").reverse();
  expect(chain.map(({ status }) => status)).toEqual(["continued", "completed"]);
  const { events } = await readThread(s.world, chain[1]?.thread_id ?? "");
  const [heard, posted] = outputs(events, "channel");
  expect([texts(heard), heard.your_turn, posted.status]).toEqual([["b1"], true, "posted"]);
  expect(texts((await said(s, "bob"))[2])).toEqual(["a2"]);
  const told = (await journalOf(s, "bob")).filter((event) => event.type === "channel_heard");
  expect(told.map((event) => ("what" in event ? event.what : ""))).toEqual(["posted", "posted"]);
});
