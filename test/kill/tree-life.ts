/** One tree per life, and everything that must hold of it when nothing moves any more. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Event, EventType } from "../../src/core/event.ts";
import type { ThreadRow } from "../../src/core/row.ts";
import { isTerminal } from "../../src/core/status.ts";
import type { Store } from "../../src/core/store.ts";
import { foldThread } from "../../src/core/thread.ts";
import { sha256 } from "../../src/machine/index.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";
import { keptProcesses } from "./tree-processes.ts";

export const TREE = "boss-1767225600-000000";
export type StoryName = "works" | "fails" | "asks" | "hub";

export function newTree(story: StoryName, knobs: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), "selvage-tree-"));
  const worker = fileURLToPath(new URL("./tree-worker.mjs", import.meta.url));
  const env = { ...process.env, ...knobs, XDG_STATE_HOME: join(root, "state") };
  const remove = () => rmSync(root, { recursive: true, force: true });
  return { root, remove, worker: { command: process.execPath, args: [worker, root, story], env } };
}

interface Kin {
  readonly row: ThreadRow;
  readonly events: readonly Event[];
}

interface Tree {
  readonly store: Store;
  readonly kin: readonly Kin[];
  readonly parentOf: (kin: Kin) => Kin | undefined;
}

/** What is wrong, a sentence each; and whether everybody has ended. */
export async function judgeTree(root: string): Promise<{ broken: string[]; isOver: boolean }> {
  const folder = join(root, ".ai", "threads");
  const path = join(folder, "registry.db");
  const needs = { now: Date.now, sha256, newId: () => "x", ownerState: () => "dead" as const };
  const store = openSqliteStore({ ...needs, path, durability: "strict" });
  try {
    const { findings } = await verifyStore(store, path, folder);
    const tree = await treeOf(store);
    const broken = [
      ...findings.map(({ thread_id, what }) => `${thread_id}: ${what}`),
      ...(await statuses(tree)),
      ...outcomes(tree),
      ...(await money(tree)),
      ...effects(tree, root),
      ...tree.kin.flatMap(waits),
      ...(await leftovers(tree)),
      ...(await keptProcesses(root, tree.kin)),
    ];
    const isOver = tree.kin.every(({ row }) => isTerminal(row.status));
    return { broken, isOver };
  } finally {
    await store.close();
  }
}

async function treeOf(store: Store): Promise<Tree> {
  const rows = await store.find({});
  const kin = await Promise.all(
    rows.map(async (row) => ({ row, events: (await store.load(row.thread_id)).events })),
  );
  const parentOf = ({ row }: Kin) => kin.find((each) => each.row.thread_id === row.parent_id);
  return { store, kin, parentOf };
}

function of<T extends EventType>({ events }: Kin, ...types: readonly T[]): Event<T>[] {
  return events.filter(({ type }) => types.some((each) => each === type)) as unknown as Event<T>[];
}

/** Ended; or suspended, with a reason and somebody who may help; or waiting for somebody who lives. */
async function statuses({ store, kin }: Tree): Promise<string[]> {
  const questions = await store.approvals({ states: ["open"] });
  return kin.flatMap(({ row }) => {
    const { thread_id, status, waits_for, suspend_reason } = row;
    const [above] = kin.filter((each) => each.row.thread_id === row.parent_id);
    // Only registered, until its parent has it started or ends.
    const isRegistered = status === "created" && above && !isTerminal(above.row.status);
    if (isTerminal(status) || isRegistered) return [];
    if (status === "suspended") {
      const isAsked = questions.some((question) => question.thread_id === thread_id);
      return suspend_reason && isAsked
        ? []
        : [`${thread_id} is suspended (${suspend_reason}) and nobody asked`];
    }
    if (status !== "running" || waits_for?.kind !== "children") return [`${thread_id} is left as ${status}`];
    const below = kin.filter((each) => each.row.parent_id === thread_id);
    const lives = below.some((each) => !isTerminal(each.row.status));
    return lives ? [] : [`${thread_id} waits, and nobody it waits for lives`];
  });
}

/** Every child was started once and its end told once, as it was. */
function outcomes({ kin, parentOf }: Tree): string[] {
  return kin.flatMap((child) => {
    const { thread_id: id, parent_id, status, turns, spent, below } = child.row;
    if (parent_id === null) return [];
    const parent = parentOf(child);
    if (!parent) return [`${id} has no parent`];
    const about = <T extends Event>(events: readonly T[]) =>
      events.filter((event) => "child_id" in event && event.child_id === id);
    const born = about(of(parent, "child_thread_started"));
    const told = about(of(parent, "child_thread_completed", "child_thread_failed"));
    const broken = born.length === 1 ? [] : [`${id} was started ${born.length} times`];
    if (told.length !== (isTerminal(status) ? 1 : 0))
      return [...broken, `${id} is ${status}, and its end was told ${told.length} times`];
    for (const type of ["suspended", "resumed"] as const) {
      const happened = of(child, `thread_${type}`).length;
      const heard = about(of(parent, `child_thread_${type}`)).length;
      // A start that its parent asked for is told as a resumption too.
      const isTold = heard >= happened && heard <= happened + (type === "resumed" ? 1 : 0);
      if (!isTold) broken.push(`${id} was ${type} ${happened} times, and that was told ${heard} times`);
    }
    const [end] = told;
    if (!end) return broken;
    const tokens = child.row.input_tokens + child.row.output_tokens;
    const wanted = JSON.stringify({ ...endOf(child), cost: { turns, tokens, spent: spent + below } });
    const { type: _t, v: _v, seq: _s, ts: _ts, thread_id: _i, child_id: _c, directive: _d, ...said } = end;
    if (canonical(said) !== canonical(JSON.parse(wanted)))
      broken.push(`${id} ended as ${wanted}; its parent has ${JSON.stringify(said)}`);
    return broken;
  });
}

function canonical(value: object): string {
  return JSON.stringify(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Its own end, in the words of its parent. */
function endOf(child: Kin): object {
  const [end] = of(child, "thread_completed", "thread_failed", "thread_cancelled");
  if (end?.type === "thread_completed") return { text: end.text, outputs: end.outputs };
  const text = end?.text ?? "";
  if (end?.type === "thread_failed") return { status: "error", error: `${end.code}: ${end.message}`, text };
  return { status: "cancelled", error: end?.reason, text };
}

/** What was billed is what was spent; nothing is held for anybody who ended; no account is over its cap. */
async function money({ store, kin }: Tree): Promise<string[]> {
  const broken: string[] = [];
  let billed = 0;
  for (const each of kin) {
    const { thread_id: id, status, held } = each.row;
    const { account, open = [] } = (await store.balance(id)) ?? {};
    billed += each.row.spent;
    if (!account) broken.push(`${id} has no account`);
    else if (account.cap !== null && account.spent + account.held > account.cap)
      broken.push(`${id}: ${account.spent} spent and ${account.held} held, of ${account.cap}`);
    if (isTerminal(status) && (open.length > 0 || held > 0)) broken.push(`${id} has ended and holds money`);
    const keys = each.events.flatMap((event) => ("bill" in event && event.bill ? [event.bill.hold] : []));
    if (new Set(keys).size !== keys.length) broken.push(`${id} was billed twice for one request`);
  }
  const root = await store.balance(TREE);
  const isOver = kin.every(({ row }) => isTerminal(row.status));
  if (isOver && root?.account.spent !== billed)
    broken.push(`the root's account has ${root?.account.spent} spent, its journals ${billed}`);
  return broken;
}

/** No effect without its intent; a manual one once at most, and the others under the key they were given. */
function effects({ kin }: Tree, root: string): string[] {
  const read = (name: string) =>
    readFileSync(join(root, name), { encoding: "utf8", flag: "a+" }).split("\n").filter(Boolean);
  const lines = read("effects.log");
  const once = lines.filter((line) => line.startsWith("manual") || line.startsWith("probe"));
  const intents = new Set(
    kin.flatMap((each) =>
      of(each, "tool_call_start").map(({ call_id }) => `${call_id} ${each.row.thread_id}`),
    ),
  );
  const results = kin.flatMap((each) => of(each, "tool_call_result").map(({ call_id }) => call_id));
  const turns = kin.flatMap((each) =>
    of(each, "cognition_out").map(({ turn }) => `${each.row.thread_id} ${turn}`),
  );
  return [
    ...twice(once).map((line) => `took effect twice: ${line}`),
    ...lines
      .filter((line) => !intents.has(line.split(" ").slice(1).join(" ")))
      .map((line) => `no intent: ${line}`),
    ...twice(results).map((key) => `${key} has two results`),
    ...twice(turns).map((turn) => `answered twice: ${turn}`),
    ...(read("bash.log").length > 1 ? ["bash ran twice"] : []),
  ];
}

function twice(items: readonly string[]): string[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}

/** A thread that did its work has finished every wait it began; one that waits has begun one. */
function waits(kin: Kin): string[] {
  const { thread_id, status, waits_for } = kin.row;
  const { wait, stopping } = foldThread(thread_id, kin.events);
  if (status === "completed" && wait) return [`${thread_id} ended in the middle of a wait`];
  const finished = of(kin, "wait_finished").flatMap(({ call_id }) => call_id ?? []);
  const repeated = twice(finished).map((call) => `${thread_id} finished the wait of ${call} twice`);
  const isWaiting = status === "running" && waits_for?.kind === "children";
  return isWaiting && !wait && !stopping ? [...repeated, `${thread_id} waits for nothing`] : repeated;
}

async function leftovers({ store, kin }: Tree): Promise<string[]> {
  const open = await Promise.all(kin.map(({ row }) => store.openRequests(row.thread_id)));
  const hosts = await store.hosts();
  return [
    ...open.flat().map(({ kind, thread_id }) => `${kind} of ${thread_id} was never answered`),
    ...kin.flatMap(({ row }) =>
      row.owner === null ? [] : [`${row.thread_id} is still owned by ${row.owner}`],
    ),
    ...hosts.map(({ host_id }) => `the host ${host_id} has not left`),
  ];
}
