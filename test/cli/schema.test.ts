// Whatever a command prints for programs fits the schema of its kind, and has no field that the schema does not name.
import { Validator } from "@cfworker/json-schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jsonSchemaOf, KINDS } from "../../src/surface/cli/schema/kinds.ts";
import { type Ended, Place, QUICK_RETRIES, scripted } from "./cli.ts";
import { asks, boss, start, worker } from "./family.ts";

let place: Place;
let ids: Record<"hello" | "tree" | "down" | "asks" | "approval", string>;
const seen = new Set<string>();

beforeAll(async () => {
  place = new Place({
    ...QUICK_RETRIES,
    ...scripted(
      "hello",
      "- says: first\n  calls: [{ tool: write, input: { path: a.txt, content: x } }]\n- says: hello\n",
    ),
    ...scripted("down", "- fails: { status: 503, message: busy }\n"),
    ...worker("child", "- says: done\n"),
    ...asks("asking"),
    ...boss("tree", `- says: one\n  calls:\n${start("child", ", wait: true")}- says: done\n`),
  });
  await place.ok("trust", "--yes");
  const run = async (name: string) => fits(await place.run(["run", name, "--json"])).data.thread_id;
  ids = {
    hello: await run("hello"),
    tree: await run("tree"),
    down: await run("down"),
    asks: "",
    approval: "",
  };
  ids.asks = await run("asking");
  const { data } = fits(await place.run(["show", ids.asks, "--json"]));
  ids.approval = data.approval;
}, 120_000);
afterAll(() => place.remove());

/** The last record, once it is found to fit; in a stream all those before it are events. */
function fits({ stdout }: Ended) {
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const last = records.at(-1);
  for (const record of records.slice(0, -1)) valid("event", record);
  valid(last.kind, last);
  return last;
}

function valid(kind: string, record: unknown): void {
  seen.add(kind);
  for (const how of ["open", "closed"] as const) {
    const schema = jsonSchemaOf(kind, how);
    expect(schema, `there is no schema of ${kind}`).toBeDefined();
    const { valid: isValid, errors } = new Validator(schema as object, "2020-12").validate(record);
    const why = errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join("\n");
    expect(isValid, `${kind}, ${how}:\n${why}`).toBe(true);
  }
}

const LOOKS: readonly string[][] = [
  [],
  ["status"],
  ["ps"],
  ["ps", "-a"],
  ["ps", "-a", "--tree"],
  ["tree", "TREE"],
  ["tree"],
  ["tree", "--closed"],
  ["show", "HELLO"],
  ["show", "TREE"],
  ["show", "DOWN", "--caps"],
  ["show", "ASKS", "--state"],
  ["show", "HELLO", "--limits"],
  ["show", "HELLO", "--hooks"],
  ["show", "HELLO", "--paths"],
  ["logs", "HELLO"],
  ["events", "-n", "5"],
  ["chain", "HELLO"],
  ["search", "hello"],
  ["replay", "HELLO"],
  ["cost"],
  ["cost", "TREE"],
  ["cost", "--reserved"],
  ["cost", "--by", "model"],
  ["stats"],
  ["approvals"],
  ["approvals", "-a"],
  ["approvals", "APPROVAL"],
  ["budget", "TREE"],
  ["budget", "DOWN", "--history"],
  ["recover", "--scan"],
  ["proc", "ls"],
  ["verify"],
  ["verify", "directive:hello"],
  ["directive", "ls"],
  ["directive", "show", "hello"],
  ["directive", "lint"],
  ["hooks", "ls"],
  ["hooks", "test", "limit"],
  ["models", "ls", "-a"],
  ["classify", "429 Too Many Requests"],
  ["config", "show"],
  ["config", "get", "retry.max_retries"],
  ["config", "check"],
  ["signer", "ls"],
  ["trust", "--show"],
  ["explain"],
  ["explain", "E_LOCKED"],
  ["explain-denial", "HELLO", "execute.tool.bash"],
  ["doctor", "--offline"],
  ["prune", "--dry-run"],
  ["export", "HELLO", "--md", "-o", "-"],
  ["schema"],
  ["schema", "cost"],
  ["schema", "--ts"],
  ["completion", "bash"],
  ["help"],
  ["help", "exit-codes"],
  ["--version"],
  ["nonsense"],
  ["show", "nobody"],
];

const named = (word: string) =>
  ({ HELLO: ids.hello, TREE: ids.tree, DOWN: ids.down, ASKS: ids.asks, APPROVAL: ids.approval })[word] ??
  word;

test("whoever looks gets what the schema says", { timeout: 240_000 }, async () => {
  const left = [...LOOKS];
  const worker = async () => {
    for (let args = left.shift(); args; args = left.shift()) {
      fits(await place.run([...args.map(named), "--json"]));
    }
  };
  await Promise.all([worker(), worker(), worker()]);
});

const ACTS: readonly string[][] = [
  ["export", "HELLO", "--files"],
  ["budget", "DOWN", "--add", "turns=1"],
  ["send", "DOWN", "a word"],
  ["revoke", "DOWN", "execute.tool.write"],
  ["retry", "DOWN", "--now"],
  ["directive", "new", "fresh", "--scripted"],
  ["config", "set", "retry.max_retries", "1"],
  ["sign", "directive:hello"],
  ["bundle", "create", "all"],
  ["bundle", "verify", "all"],
  ["bundle", "inspect", "all"],
  ["wait", "HELLO"],
  ["resume", "DOWN"],
  ["fork", "HELLO", "--no-start"],
  ["deny", "APPROVAL"],
  ["compact", "DOWN"],
  ["cancel", "DOWN"],
  ["run", "hello", "--jsonl"],
  ["logs", "HELLO", "--jsonl"],
  ["events", "--jsonl", "-n", "3"],
  ["init"],
  ["recover"],
  ["run", "hello", "--dry-run"],
  ["serve", "--stop"],
  ["service", "install", "--dry-run"],
];

test("whoever acts gets what the schema says", { timeout: 240_000 }, async () => {
  for (const args of ACTS)
    fits(await place.run([...args.map(named), ...(args.includes("--jsonl") ? [] : ["--json"])]));
});

/** Printed by commands that are tried elsewhere: they need a process, a person, another command, or half a minute. */
const ELSEWHERE = [
  "demo",
  "demo.line",
  "process.log",
  "process.stopped",
  "retry",
  "rpc",
  "serve",
  "service.line",
  "service.logs",
  "service.status",
  "signer.added",
  "signer.removed",
  "words",
];

test("every kind there is was seen", () => {
  expect(KINDS.filter((kind) => !seen.has(kind) && !ELSEWHERE.includes(kind))).toEqual([]);
});

test("a kind that there is not is told with the closest", async () => {
  expect(await place.json("schema", "thread.resutl")).toMatchObject({
    exit: 5,
    error: { code: "E_KIND_UNKNOWN", next: [{ cmd: "selvage schema thread.result" }] },
  });
});
