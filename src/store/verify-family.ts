/**
 * Compares the accounts of a tree with what the registry says of its threads, which follows from their journals
 * (F5, B4): drift 0. Sums over a plain tree; nothing here asks the ledger how it counts.
 */
import { parseDollars, plus } from "../core/money.ts";
import type { ThreadRow } from "../core/row.ts";
import { isTerminal } from "../core/status.ts";
import type { Store } from "../core/store.ts";

type Relative = Awaited<ReturnType<Store["family"]>>[number];

interface Told {
  readonly row: ThreadRow;
  readonly what: string;
}

/** What is wrong, a sentence each, with the thread whose account it is. */
export function familyFindings(relatives: readonly Relative[]): Told[] {
  const nodes = nodesOf(relatives);
  return relatives.flatMap(({ row, statement }) => {
    const node = nodes.get(row.chain_root_id);
    if (!node) return [];
    if (!statement) return [{ row, what: "it has no account" }];
    const { account, open } = statement;
    const expected = { cap: node.cap, spent: spentOn(node), held: heldOn(node), ended: node.ended };
    const wrong = (["cap", "spent", "held", "ended"] as const).filter(
      (key) => account[key] !== expected[key],
    );
    const underWay = open.reduce((sum, { held }) => sum + held, 0);
    return [
      ...wrong.map((key) => `the ledger says ${key} = ${account[key]}, its threads say ${expected[key]}`),
      ...(underWay === node.held ? [] : [`the ledger holds ${underWay} for it, the journal ${node.held}`]),
    ].map((what) => ({ row, what }));
  });
}

/** An account as its threads tell of it. */
interface Node {
  readonly row: ThreadRow;
  readonly cap: number | null;
  /** Of its own requests. */
  readonly spent: number;
  readonly held: number;
  readonly ended: boolean;
  /** Whose requests it pays for, itself among them. */
  readonly sharers: Node[];
  /** Whose caps it pays for. */
  readonly capped: Node[];
}

function nodesOf(relatives: readonly Relative[]): Map<string, Node> {
  const nodes = new Map<string, Node>();
  for (const { row } of relatives) {
    const { spend } = row.limits;
    const cap = spend === undefined ? null : (parseDollars(String(spend)) ?? 0);
    const { spent, held } = row;
    const ended = isTerminal(row.status);
    nodes.set(row.chain_root_id, { row, cap, spent, held, ended, sharers: [], capped: [] });
  }
  for (const node of nodes.values()) {
    payerOf(nodes, node).sharers.push(node);
    const above = nodes.get(node.row.parent_id ?? "");
    if (above && node.cap !== null) payerOf(nodes, above).capped.push(node);
  }
  return nodes;
}

function payerOf(nodes: ReadonlyMap<string, Node>, node: Node): Node {
  const above = nodes.get(node.row.parent_id ?? "");
  return node.cap === null && above ? payerOf(nodes, above) : node;
}

function spentOn({ sharers, capped }: Node): number {
  const own = sharers.map(({ spent }) => spent);
  return sum([...own, ...capped.filter(({ ended }) => ended).map(spentOn)]);
}

function heldOn({ sharers, capped }: Node): number {
  const own = sharers.map(({ held }) => held);
  const living = capped.filter(({ ended }) => !ended);
  return sum([...own, ...living.map((node) => Math.max(node.cap ?? 0, spentOn(node) + heldOn(node)))]);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce(plus, 0);
}
