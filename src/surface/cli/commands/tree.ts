/** `selvage tree`: threads as the trees they are, with waves, state and spend. */
import { Command } from "commander";
import { EXIT } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { isTerminal, STATUSES } from "../../../core/status.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { parseCount } from "../number.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import type { Session } from "../session.ts";
import { readTree, type TreeNode, treeObject } from "../tree-read.ts";
import { treeText } from "../tree-text.ts";
import { watch } from "../watching.ts";

interface TreeOptions {
  readonly depth?: number;
  readonly closed?: boolean;
  readonly watch?: boolean;
}

/** Finished trees shown with --closed. */
const MOST_CLOSED = 20;

export function treeCommand(play: Play): Command {
  return new Command("tree")
    .description("a tree of threads: waves, state, turns, spend")
    .argument("[id]", "a thread, shown with all below it; without one, every live tree, or else the last")
    .option("--depth <count>", "only so many generations below the top", parseCount)
    .option("--closed", `without an id: the last ${MOST_CLOSED} finished trees too`)
    .option("-w, --watch", "again whenever something changes")
    .action((id: string | undefined, options: TreeOptions) =>
      play((session) => {
        const { world } = session.open();
        return options.watch ? watchTree(session, world, id, options) : tree(session, world, id, options);
      }),
    );
}

async function watchTree(
  session: Session,
  world: World,
  id: string | undefined,
  options: TreeOptions,
): Promise<Answer> {
  const { depth = Number.POSITIVE_INFINITY } = options;
  return watch(session, world, async () => {
    const rows = id === undefined ? await tops(world, false) : [await resolveHead(world.store, id)];
    const nodes: TreeNode[] = [];
    for (const row of rows) nodes.push(await readTree(world, row));
    const lines = nodes.flatMap((node) => plain(node, depth, watchedLine));
    return { answer: await tree(session, world, id, options), lines };
  });
}

/** Named by its thread, which stands first. */
function watchedLine(node: TreeNode, at: number): string {
  const [, id, ...rest] = plainLine(node, at).split("\t");
  return [id, ...rest].join("\t");
}

async function tree(
  session: Session,
  world: World,
  id: string | undefined,
  options: TreeOptions,
): Promise<Answer> {
  const { depth = Number.POSITIVE_INFINITY } = options;
  if (id !== undefined) {
    const top = await resolveHead(world.store, id);
    const node = await readTree(world, top);
    const hint =
      top.parent_id === null ? {} : { hint: `Part of a tree; all of it: selvage tree ${top.root_id}` };
    return {
      kind: "thread.tree",
      exit: EXIT.ok,
      data: treeObject(node, depth),
      text: textOf(session, world, [node], depth),
      ...hint,
    };
  }
  const nodes: TreeNode[] = [];
  for (const row of await tops(world, options.closed === true)) nodes.push(await readTree(world, row));
  return {
    kind: "thread.trees",
    exit: EXIT.ok,
    data: { trees: nodes.map((node) => treeObject(node, depth)) },
    text: textOf(session, world, nodes, depth),
    ...(nodes.length === 0 ? { hint: "No thread was started in this project yet." } : {}),
  };
}

/** Roots that live, newest first; when there are none, the last there was. */
async function tops({ store }: World, withClosed: boolean): Promise<readonly ThreadRow[]> {
  const isRoot = ({ parent_id }: ThreadRow) => parent_id === null;
  const live = (await store.find({ statuses: STATUSES.filter((status) => !isTerminal(status)) })).filter(
    isRoot,
  );
  if (live.length > 0 && !withClosed) return live;
  const ended = (await store.find({ statuses: STATUSES.filter(isTerminal) })).filter(isRoot);
  return [...live, ...ended.slice(0, withClosed ? MOST_CLOSED : 1)];
}

function textOf(
  { terminal, flags }: Session,
  { clock }: World,
  nodes: readonly TreeNode[],
  depth: number,
): string {
  if (flags.quiet) return nodes.flatMap((node) => plain(node, depth, ({ row }) => row.thread_id)).join("\n");
  if (flags.plain) return nodes.flatMap((node) => plain(node, depth, plainLine)).join("\n");
  const look = { now: clock.now(), depth, columns: terminal.columns };
  return nodes.map((node) => treeText(node, look)).join("\n\n");
}

function plain(
  node: TreeNode,
  depth: number,
  line: (node: TreeNode, at: number) => string,
  at = 0,
): string[] {
  const below = at >= depth ? [] : node.children.flatMap((child) => plain(child, depth, line, at + 1));
  return [line(node, at), ...below];
}

/** Fixed columns: depth, id, parent, status, view, turns, retries, crashes survived, spent by it and all below it. */
function plainLine(node: TreeNode, at: number): string {
  const { row, seen, retries } = node;
  const { tree_spend } = treeObject(node, 0);
  const { view } = seen.sighting;
  return [
    at,
    row.thread_id,
    row.parent_id ?? "-",
    row.status,
    view,
    row.turns,
    retries,
    row.recoveries,
    tree_spend,
  ].join("\t");
}
