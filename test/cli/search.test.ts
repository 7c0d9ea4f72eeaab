// search: what a person finds in the journals, and a program too.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Envelope, Place, QUICK_RETRIES, scripted } from "./cli.ts";

const SCRIPTS = {
  ...scripted(
    "talks",
    `- says: 'I say "Needle" \\ and naïve 🙂'
  calls: [{ tool: bash, input: { command: "sleep 0.4; printf 'one\\\\ntwo needle two\\\\nthree\\\\n'" } }]
- says: all is said
`,
  ),
  ...scripted("down", '- fails: { status: 503, message: "socket timeout after 30 s" }\n'),
  ...scripted("nasty", '- says: "red \\u001b[31mneedles\\u001b[0m \\u202egnp.exe"\n'),
};

let place: Place;
let talks: string;
beforeAll(async () => {
  place = new Place({ ...QUICK_RETRIES, ...SCRIPTS });
  await place.ok("trust", "--yes");
  talks = (await place.json("run", "talks")).data.thread_id;
  await place.run(["run", "down"]);
});
afterAll(() => place.remove());

const types = ({ data }: Envelope) => data.hits.map(({ type }: { type: string }) => type);

test("a hit says where it is, and shows the match; case is ignored", async () => {
  const found = await place.json("search", "NEEDLE");
  expect(found).toMatchObject({ kind: "search", exit: 0, data: { more: false, next: null, complete: true } });
  expect(types(found)).toEqual(["tool_call_result", "cognition_out", "tool_call_start"]);
  const [result, answer, call] = found.data.hits;
  expect(result).toMatchObject({
    thread_id: talks,
    chain_position: 1,
    turn: 1,
    tool: "bash",
    field: "output",
    matches: 1,
  });
  expect(result).toMatchObject({ snippet: "two needle two", spans: [[4, 10]] });
  expect(call).toMatchObject({ field: "input.command", tool: "bash", turn: 1 });
  expect(answer).toMatchObject({ field: "text", matches: 1, snippet: 'I say "Needle" \\ and naïve 🙂' });
  expect(found.data.searched).toMatchObject({ threads: 2, unread: 0 });
  expect(found.data.took_ms).toBeGreaterThanOrEqual(0);
  const around = await place.json("search", "two needle", "--type", "tool_call_result", "--context", "1");
  expect(around.data.hits).toMatchObject([{ snippet: "one\ntwo needle two\nthree", spans: [[4, 14]] }]);
});

test("a text is found as it reads, not as it is stored", async () => {
  expect(types(await place.json("search", '"needle" \\ AND NAÏVE 🙂'))).toEqual(["cognition_out"]);
  expect(types(await place.json("search", "one\ntwo"))).toEqual(["tool_call_result"]);
  expect(types(await place.json("search", '\\"Needle'))).toEqual([]);
  expect(types(await place.json("search", "call_id"))).toEqual([]);
});

test("patterns, kinds, trees, chains and times narrow it", async () => {
  expect(types(await place.json("search", "socket.*after", "--regex", "--type", "error"))).toEqual([
    "error_classified",
    "error_classified",
  ]);
  expect(types(await place.json("search", "^two NEEDLE", "--regex"))).toEqual([]);
  expect(types(await place.json("search", "(?i)^two NEEDLE", "--regex"))).toEqual(["tool_call_result"]);
  expect(types(await place.json("search", "needle", "--type", "text"))).toEqual(["cognition_out"]);
  expect(types(await place.json("search", "timeout", "--root", "talks"))).toEqual([]);
  expect(types(await place.json("search", "said", "--chain", talks))).toContain("thread_completed");
  expect(types(await place.json("search", "needle", "--since", "2h"))).toHaveLength(3);
});

test("more is told, and where to go on", async () => {
  const first = await place.json("search", "needle", "--limit", "1");
  expect(first.data).toMatchObject({
    more: true,
    complete: false,
    next: expect.stringContaining(`${talks}:`),
  });
  const second = await place.json("search", "needle", "--limit", "2", "--before", first.data.next);
  expect(types(second)).toEqual(["cognition_out", "tool_call_start"]);
  expect(second.data).toMatchObject({ more: false, next: null });
  const told = await place.run(["search", "needle", "--limit", "1"]);
  expect(told.stderr).toContain(`There are more: the same search with --before ${first.data.next}`);
});

test("a person reads who said it, and what to do next", async () => {
  const { stdout, stderr } = await place.run(["search", "needle"]);
  expect(stdout).toMatch(
    new RegExp(`^${talks} · turn 1 · result of bash · event \\d+ · \\d+s ago\n {3}two needle two\n`),
  );
  expect(stdout).toMatch(/· turn 1 · call of bash · event/);
  expect(stdout).toMatch(/· turn 1 · answer · event/);
  expect(stderr).toContain("3 hits in 1 of 2 threads");
  expect(stderr).toContain(`selvage show ${talks}`);
  const marked = await place.run(["search", "needle"], { FORCE_COLOR: "1" });
  expect(marked.stdout).toMatch(/two \u001b\[1m\u001b\[31mneedle\u001b\[39m\u001b\[22m two/);
});

test("nothing found is an answer; as an exit code only who asks for it", async () => {
  const none = await place.run(["search", "nowhere to be seen"]);
  expect(none).toMatchObject({ code: 0, stdout: "" });
  expect(none.stderr).toMatch(/^No hit in \d+ events of 2 threads/m);
  expect(await place.json("search", "nowhere", "--exit-status")).toMatchObject({
    exit: 1,
    data: { hits: [] },
  });
  expect((await place.json("search", "needle", "--exit-status")).exit).toBe(0);
});

test.each([
  [["a(b", "--regex"], 2, "E_USAGE", /^At character 2: missing closing \)/],
  [["ab**", "--regex"], 2, "E_USAGE", /^At character 3: invalid nested repetition/],
  [["(?=x)", "--regex"], 2, "E_USAGE", /no look-around/],
  [["x*", "--regex"], 2, "E_USAGE", /fits the empty text/],
  [[""], 2, "E_USAGE", /empty/],
  [["a", "--type", "tols"], 2, "E_USAGE", /Did you mean tool\?/],
  [["a", "--type", "step_start"], 2, "E_USAGE", /There are text, tool/],
  [["a", "--context", "101"], 2, "E_USAGE", /./],
  [["a", "--limit", "0"], 2, "E_USAGE", /./],
  [["a", "--before", "here"], 2, "E_USAGE", /a thread and the number of an event/],
  [["a", "--before", "gone-1:4"], 5, "E_THREAD_NOT_FOUND", /./],
  [["a", "--chain", "nobody"], 5, "E_THREAD_NOT_FOUND", /./],
  [["a", "--root", "nobody"], 5, "E_THREAD_NOT_FOUND", /./],
  [["a", "--since", "tomorrow"], 2, "E_USAGE", /2h, 7d/],
] as const)("search %j is refused", async (args, exit, code, why) => {
  const { error, exit: ended } = await place.json("search", ...args);
  expect({ exit: ended, code: error?.code }).toEqual({ exit, code });
  expect(error?.why).toMatch(why);
  expect(error?.next.length).toBeGreaterThan(0);
  if (code === "E_USAGE") expect(error?.next[0]?.cmd).toContain("search");
});

test("what models wrote never reaches the terminal with control bytes", async () => {
  await place.run(["run", "nasty"]);
  const { stdout, stderr } = await place.run(["search", "needles"]);
  expect(stdout).toContain("red needles gnp.exe");
  expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});

test("in a project that nobody trusts it reads, and leaves nothing behind", async () => {
  const theirs = { XDG_STATE_HOME: join(place.folder, "another") };
  const folder = join(place.root, ".ai", "threads");
  const before = readdirSync(folder);
  const { code, stdout } = await place.run(["search", "needle", "--json"], theirs);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).data.hits.length).toBeGreaterThan(1);
  expect(readdirSync(folder)).toEqual(before);
  expect(existsSync(theirs.XDG_STATE_HOME)).toBe(false);
});
