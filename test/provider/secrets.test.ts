// Canaries: secrets that every path tries to carry out. What was written anywhere is searched for them (K5, P21).
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ended, Place, until } from "../cli/cli.ts";
import { answers, fallsSilent, StandIn, streams, streamsThen } from "./stand-in.ts";
import { anthropic } from "./wire.ts";

/** A provider's key, a variable that only its name gives away, and a password in an address. */
const KEY = "sk-canary/3f9a+1c77=e2Zq";
const TOKEN = 'tkn "cAn4ry"/+ü x9';
const PASSWORD = "cAn4ry-pa55word";
const CANARIES = [KEY, TOKEN, PASSWORD];

/** Files of the project in which a canary stands on purpose. */
const THEIRS = [
  "secret.txt",
  "written.txt",
  "AGENTS.md",
  ".ai/directives/work.md",
  ".ai/config/hooks.yaml",
  "leak.sh",
  "fail.sh",
  "env.sh",
];

let place: Place;
let standIn: StandIn;
let said: string;

beforeEach(async () => {
  place = new Place();
  standIn = await StandIn.start();
  said = "";
});
afterEach(async () => {
  await standIn.close();
  place.remove();
});

/** All ways in which a canary may have been written; of base64 what is the same wherever it stands. */
function forms(canary: string): string[] {
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(canary)])
      .toString("base64")
      .replace(/=+$/, "");
    const inner = text.slice(before === 0 ? 0 : before + 1, -1);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const json = JSON.stringify(canary).slice(1, -1);
  const plain = [canary, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(canary)];
  return [...plain, ...base64].map((form) => Buffer.from(form).toString("latin1"));
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Where a canary was found: in a file of ours, or in what was printed. The token of the operator has its place. */
function leaks(): string[] {
  const operator = readFileSync(join(place.folder, "state/selvage/operator"), "utf8").trim();
  const files = filesUnder(place.folder)
    .filter((path) => !THEIRS.includes(relative(place.root, path)) && !path.endsWith("selvage/operator"))
    .map((path) => [relative(place.folder, path), readFileSync(path, "latin1")] as const);
  const printed = ["what was printed", Buffer.from(said).toString("latin1")] as const;
  return [...files, printed].flatMap(([where, bytes]) =>
    [...CANARIES, operator].flatMap((canary) =>
      forms(canary).flatMap((form) => (bytes.includes(form) ? [`${where}: ${form}`] : [])),
    ),
  );
}

async function run(...args: string[]): Promise<Ended> {
  const ended = await place.run(args);
  said += ended.stdout + ended.stderr;
  return ended;
}

function deltas(jsonl: string): string {
  const lines = jsonl.trim().split("\n");
  return lines
    .map((line) => JSON.parse(line))
    .flatMap((event) => (event.type === "cognition_out_delta" ? event.text : []))
    .join("");
}

const call = (name: string, input: object) => ({ id: name, name, json: JSON.stringify(input) });

async function settle(hooks = "hooks: []\n"): Promise<void> {
  place.write({
    "secret.txt": CANARIES.flatMap((each) => [
      each,
      Buffer.from(`a${each}b`).toString("base64"),
      encodeURIComponent(each),
    ]).join("\n"),
    "AGENTS.md": `Use ${TOKEN}.\n`,
    "leak.sh": `cat > /dev/null\necho '${JSON.stringify({ action: "continue", message: `see ${TOKEN}`, context: { message: KEY } })}'\n`,
    "fail.sh": `cat > /dev/null\necho '${KEY}' >&2\nexit 3\n`,
    "env.sh": "cat > /dev/null\nenv\nenv >&2\n",
    ".ai/tools/printenv.yaml":
      "description: d\ncommand: sh ./env.sh\nenv: [SERVICE_TOKEN, ANTHROPIC_API_KEY, DATABASE_URL]\n",
    ".ai/config/hooks.yaml": hooks,
    ".ai/config/resilience.yaml": "retry: { max_retries: 2, base_delay_ms: 10 }\n",
    ".ai/directives/work.md": `---\ndescription: Work\nmodel: { id: anthropic/claude-sonnet-4-5 }\npermissions: [execute.tool.*]\ninputs: { k: { type: string } }\n---\nDo ${KEY} with {input:k}.\n`,
  });
  Object.assign(place.env, {
    ANTHROPIC_API_KEY: KEY,
    SERVICE_TOKEN: TOKEN,
    DATABASE_URL: `postgres://app:${PASSWORD}@db.example/app`,
    ANTHROPIC_BASE_URL: standIn.url,
  });
  await place.ok("trust", "--yes");
}

const HOOKS = `hooks:
  - { id: leaks, event: after_tool, command: sh ./leak.sh }
  - { id: fails, event: before_step, command: sh ./fail.sh }
  - { id: guards, event: before_tool, when: tool == 'write', command: "true" }
`;

test("no canary is written or printed, whichever way it comes", async () => {
  await settle(HOOKS);
  const thinking =
    anthropic.start() +
    anthropic.thinking(0, `The key is ${KEY}.`, "c2lnbmF0dXJl") +
    anthropic.text(1, `I know ${KEY} and ${TOKEN}.`) +
    [
      call("bash", {
        command: `printf %s '${KEY}' > written.txt; echo; echo '${KEY}'; sleep 0.2; echo '${PASSWORD}' >&2`,
      }),
      call("printenv", {}),
      call("read", { path: "secret.txt" }),
      call(KEY, { [KEY]: TOKEN }),
    ]
      .map((each, at) => anthropic.call(at + 2, each))
      .join("") +
    anthropic.stop("tool_use");
  const error = { error: { type: "api_error", message: `no: ${KEY} ${encodeURIComponent(TOKEN)}` } };
  standIn.will(
    answers(500, error, { "request-id": KEY, "x-echo": TOKEN }),
    streams(
      thinking,
      Array.from({ length: 400 }, (_, at) => at * 13),
    ),
    streams(
      anthropic.answer(`So: ${Buffer.from(`u:${KEY}`).toString("base64")}`, [
        call("write", { path: "written.txt", content: `${KEY}\n` }),
      ]),
    ),
    streams(anthropic.answer(`Done with ${KEY}, ${encodeURIComponent(TOKEN)} and ${PASSWORD}.`)),
  );
  const ended = await run("run", "work", `k=${TOKEN}`, "--jsonl");
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain("k");
  expect(ended.stdout).toContain(
    "Done with [secret ANTHROPIC_API_KEY], [secret SERVICE_TOKEN] and [secret DATABASE_URL].",
  );
  // Joined, the pieces that were shown as they came are what was stored in the end, and no canary is split over two.
  const shown = deltas(ended.stdout);
  expect(shown).toContain("I know [secret ANTHROPIC_API_KEY] and [secret SERVICE_TOKEN].");
  said += shown;
  // The tools got what the model gave them, also the one that waited for its hook.
  expect(readFileSync(join(place.root, "written.txt"), "utf8")).toBe(`${KEY}\n`);
  // A reasoning block that was changed goes back without its proof, which would be refused: so it does not go at all.
  expect(JSON.stringify(standIn.seen[2]?.body)).not.toContain("c2lnbmF0dXJl");
  for (const { body } of standIn.seen) {
    const sent = JSON.stringify(body);
    expect(CANARIES.filter((each) => sent.includes(JSON.stringify(each).slice(1, -1)))).toEqual([]);
  }
  for (const look of [
    ["show", "@last"],
    ["logs", "@last"],
    ["logs", "@last", "--json"],
    ["show", "@last", "--json"],
    ["status"],
  ])
    expect((await run(...look)).code).toBe(0);
  expect((await run("export", "--all", "--files")).code).toBe(0);
  expect((await run("verify")).code).toBe(0);
  expect(leaks()).toEqual([]);
});

test("questions, answers and reasons hold none", async () => {
  await settle(
    `hooks:\n  - { id: asks, event: before_tool, command: "echo '{\\"action\\": \\"suspend\\", \\"message\\": \\"${KEY}\\"}'" }\n`,
  );
  standIn.will(
    streams(anthropic.answer("I ask.", [call("bash", { command: `echo ${PASSWORD}` })])),
    streams(anthropic.answer("And again.", [call("bash", { command: `echo ${KEY}` })])),
  );
  expect((await run("run", "work", "k=x")).code).not.toBe(0);
  said += (await place.run(["approvals", "--json"])).stdout;
  expect(said).toContain("[secret ANTHROPIC_API_KEY]");
  const approved = await run("approve", "@last", "-m", `use ${TOKEN}`);
  // The value that the call needs went with the process that asked: it is not run with a mark in its place.
  expect(approved.stderr + approved.stdout).not.toContain("bash → ok");
  const log = (await run("logs", "@last", "--json")).stdout;
  expect(log).toContain("Not run: its input holds [secret …]");
  await run("cancel", "@last", "--reason", `because of ${KEY}`);
  for (const args of [["verify"], ["show", "@last", "--json"], ["ps", "-a"]])
    expect((await run(...args)).code).toBe(0);
  expect(leaks()).toEqual([]);
});

test("complaints about what was typed hold none", async () => {
  await settle();
  await run(KEY);
  await run("run", "work", TOKEN);
  await run("run", KEY);
  await run("show", TOKEN);
  await run("explain", PASSWORD);
  await run("classify", `401 ${KEY} ${TOKEN}`);
  await run("config", "show", "--json");
  await run("config", "set", "retry.max_retries", KEY);
  await run("directive", "show", "work");
  expect(said).toContain("[secret ANTHROPIC_API_KEY]");
  expect(leaks()).toEqual([]);
});

test("kill -9 in the middle leaves none, and a call that had a secret is not run again", async () => {
  await settle();
  standIn.will(
    streams(
      anthropic.answer(`It is ${KEY}.`, [
        call("bash", { command: `echo ${KEY} >> written.txt; touch ran; sleep 60` }),
      ]),
    ),
  );
  const { child, ended } = place.start(["run", "work", "k=x"]);
  await until(() => readdirSync(place.root).includes("ran"));
  child.kill("SIGKILL");
  await ended;
  expect(leaks()).toEqual([]);
  standIn.will(streams(anthropic.answer("I look first.")));
  expect((await run("recover", "--yes")).code).toBe(0);
  expect(readFileSync(join(place.root, "written.txt"), "utf8")).toBe(`${KEY}\n`);
  const log = (await run("logs", "@last", "--json")).stdout;
  expect(log).toContain('"effect":"manual"');
  expect(log).toContain("Outcome unknown");
  expect(leaks()).toEqual([]);
});

test("a stream that falls silent in the middle of a secret shows nothing of it", async () => {
  await settle();
  const block = { index: 0, content_block: { type: "text", text: "" } };
  const delta = (text: string) =>
    anthropic.event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  const half = anthropic.start() + anthropic.event("content_block_start", block);
  standIn.will(streamsThen(half + delta("First words. ") + delta(KEY.slice(0, 14)), fallsSilent));
  const { child, ended } = place.start(["run", "work", "k=x", "--jsonl"]);
  let heard = "";
  child.stdout?.on("data", (bytes) => {
    heard += bytes;
  });
  await until(() => heard.includes("First words."));
  child.kill("SIGTERM");
  expect((await ended).stdout).not.toContain("sk-canary");
});
