/** A tree as it stands: every thread with its journal, its waves and what it came to with everyone below it. */

import { showDollars } from "../../core/money.ts";
import type { ThreadRow } from "../../core/row.ts";
import { retriesOf, type Wave, wavesOf } from "../../core/waves.ts";
import type { World } from "../../core/world.ts";
import { withEarlier } from "./chain-read.ts";
import { looker } from "./survey.ts";
import { type Seen, seenFrom, threadObject, withProcesses } from "./thread-object.ts";

export interface TreeNode {
  readonly row: ThreadRow;
  readonly seen: Seen;
  readonly waves: readonly Wave[];
  readonly retries: number;
  /** Nano-dollars of its own and of everyone below it. */
  readonly spent: number;
  readonly children: readonly TreeNode[];
}

/** The tree below a thread. All rows are of one moment. */
export async function readTree(
  world: World,
  { root_id, chain_root_id, thread_id }: ThreadRow,
): Promise<TreeNode> {
  const { store } = world;
  const relatives = await store.family(root_id);
  const open = new Map((await store.candidates(root_id)).map((each) => [each.row.thread_id, each]));
  const look = await looker(world);
  const below = new Map<string, typeof relatives>();
  for (const relative of relatives) {
    const { parent_id } = relative.row;
    if (parent_id !== null) below.set(parent_id, [...(below.get(parent_id) ?? []), relative]);
  }
  const node = async ({ row, statement }: (typeof relatives)[number]): Promise<TreeNode> => {
    const { requests = [], timerDue } = open.get(row.thread_id) ?? {};
    const loaded = await store.load(row.thread_id);
    const seen = await withProcesses(world, seenFrom(look(row, requests, timerDue), loaded, statement));
    const children: TreeNode[] = [];
    for (const child of below.get(row.chain_root_id) ?? []) children.push(await node(child));
    const events = await withEarlier(store, row, loaded.events);
    const waves = wavesOf(events);
    const order = waves.flatMap(({ members }) => members);
    const placeOf = ({ row: child }: TreeNode) => order.indexOf(child.chain_root_id);
    children.sort((left, right) => placeOf(left) - placeOf(right));
    const spent = children.reduce((sum, child) => sum + child.spent, row.spent);
    return { row, seen, waves, retries: retriesOf(events), spent, children };
  };
  const top = relatives.find(({ row }) => row.chain_root_id === chain_root_id);
  if (!top) throw new Error(`${thread_id} is gone from the store`);
  return node(top);
}

export function countBelow({ children }: TreeNode): number {
  return children.reduce((sum, child) => sum + 1 + countBelow(child), 0);
}

/** Thread objects, each with its children in it (UX a.6). `depth`: so many generations below it; the rest is counted. */
export function treeObject(node: TreeNode, depth: number, wave: number | null = null): TreeObject {
  const isCut = depth <= 0;
  return {
    ...threadObject(node.seen),
    wave,
    retries: node.retries,
    tree_spend: showDollars(node.spent),
    waves: node.waves.map(({ turn, joined, members }) => ({
      turn,
      joined_turn: joined?.turn ?? null,
      is_joined: joined !== undefined,
      members,
    })),
    children: isCut
      ? []
      : node.children.map((child) => treeObject(child, depth - 1, waveNumber(node, child))),
    below: countBelow(node),
  };
}

interface TreeObject extends Omit<ReturnType<typeof threadObject>, "wave"> {
  readonly wave: number | null;
  readonly retries: number;
  readonly tree_spend: string;
  readonly waves: readonly object[];
  readonly children: readonly TreeObject[];
  /** How many there are below it, shown or not. */
  readonly below: number;
}

/** Waves are counted without those that stand in line; null for these. */
function waveNumber({ waves }: TreeNode, child: TreeNode): number | null {
  const real = waves.filter(({ isInline }) => !isInline);
  const at = real.findIndex(({ members }) => members.includes(child.row.chain_root_id));
  return at < 0 ? null : at + 1;
}
