/** A tree as people read it (UX a.6): children by the turn that started them, each with state and money in columns. */
import { showShort } from "../../core/money.ts";
import { isTerminal } from "../../core/status.ts";
import { oneLine } from "../../core/text.ts";
import type { Wave } from "../../core/waves.ts";
import { capOf } from "./cost-read.ts";
import { VIEWS } from "./glyph.ts";
import { usedText } from "./limit-text.ts";
import { age, counted, duration } from "./moment.ts";
import { stateText } from "./process-text.ts";
import { shortId } from "./short-id.ts";
import { table } from "./table.ts";
import { threadObject } from "./thread-object.ts";
import { countBelow, type TreeNode } from "./tree-read.ts";

interface TreeLook {
  readonly now: number;
  /** Generations below the top that are shown. */
  readonly depth: number;
  readonly columns: number;
}

/** A thread in columns, or a line of its own above some. */
type Line = { readonly cells: readonly string[] } | { readonly text: string };

export function treeText(top: TreeNode, look: TreeLook): string {
  const lines: Line[] = [
    { cells: [top.row.thread_id, ...cellsOf(top, look)] },
    ...below(top, "", look, look.depth),
  ];
  const aligned = table(
    lines.flatMap((line) => ("cells" in line ? [line.cells] : [])),
    look.columns,
  ).values();
  return lines.map((line) => ("text" in line ? line.text : aligned.next().value)).join("\n");
}

function below(node: TreeNode, indent: string, look: TreeLook, depth: number): Line[] {
  const processes = processLines(node, indent);
  if (node.children.length === 0) return processes;
  const more = `${indent}└─ … ${counted(countBelow(node), "more thread")} below`;
  return [...processes, ...(depth <= 0 ? [{ text: more }] : childLines(node, indent, look, depth))];
}

function processLines({ seen: { processes }, children }: TreeNode, indent: string): Line[] {
  return processes.map((each, at) => {
    const isLast = at === processes.length - 1 && children.length === 0;
    const state = `pid ${each.pid} · ${stateText(each)}`;
    return { text: `${indent}${isLast ? "└─" : "├─"} proc  ${oneLine(each.command, 40)}  ${state}` };
  });
}

function childLines(node: TreeNode, indent: string, look: TreeLook, depth: number): Line[] {
  const groups = groupsOf(node);
  return groups.flatMap((group, at) => {
    const isLast = at === groups.length - 1;
    const branch = isLast ? "└─ " : "├─ ";
    const under = `${indent}${isLast ? "   " : "│  "}`;
    const [only] = group.members;
    if (group.label !== undefined && only) {
      const label = group.label === "" ? "" : `${group.label}  `;
      return [
        { cells: [`${indent}${branch}${label}${shortId(only.row.thread_id)}`, ...cellsOf(only, look)] },
        ...below(only, under, look, depth - 1),
      ];
    }
    return [{ text: `${indent}${branch}${group.title}` }, ...members(group.members, under, look, depth)];
  });
}

function members(nodes: readonly TreeNode[], indent: string, look: TreeLook, depth: number): Line[] {
  return nodes.flatMap((node, at) => {
    const isLast = at === nodes.length - 1;
    const name = `${indent}${isLast ? "└─ " : "├─ "}${shortId(node.row.thread_id)}`;
    return [
      { cells: [name, ...cellsOf(node, look)] },
      ...below(node, `${indent}${isLast ? "   " : "│  "}`, look, depth - 1),
    ];
  });
}

interface Group {
  /** Set for one that stands in line: it has no wave above it. */
  readonly label?: string;
  readonly title: string;
  readonly members: readonly TreeNode[];
}

/** In the order of the turns; a child that no journal tells of stands at the end by itself. */
function groupsOf({ waves, children }: TreeNode): Group[] {
  let count = 0;
  const known = new Set(waves.flatMap(({ members: ids }) => ids));
  const groups = waves.map((wave): Group => {
    const found = children.filter(({ row }) => wave.members.includes(row.thread_id));
    if (wave.isInline) return { label: `turn ${wave.turn}`, title: "", members: found };
    count += 1;
    return { title: `wave ${count}  ${waveText(wave)}`, members: found };
  });
  const strays = children.filter(({ row }) => !known.has(row.thread_id));
  const others = strays.map((stray): Group => ({ label: "", title: "", members: [stray] }));
  return [...groups, ...others].filter(({ members: found }) => found.length > 0);
}

function waveText({ turn, joined, startedAt }: Wave): string {
  if (!joined) return `(turn ${turn})`;
  const after = duration(Date.parse(joined.at) - Date.parse(startedAt));
  const where = joined.turn === null ? "at the end" : `in turn ${joined.turn}`;
  return `(turn ${turn}, joined ${where} after ${after})`;
}

/** State, turns, what it survived, money, and what is open. */
function cellsOf(node: TreeNode, { now }: TreeLook): string[] {
  const { row, seen, retries } = node;
  const thread = threadObject(seen);
  const { glyph } = VIEWS[thread.view];
  const reason = thread.suspend_reason ? ` (${thread.suspend_reason})` : "";
  const marks = [
    ...(retries > 0 ? [`↻${retries}`] : []),
    ...(row.recoveries > 0 ? [`!${row.recoveries}`] : []),
  ];
  const took = isTerminal(row.status)
    ? duration(Date.parse(row.updated_at) - Date.parse(row.created_at))
    : age(now - Date.parse(thread.now.since));
  return [
    `${glyph} ${thread.view}${reason}`,
    took,
    `turn ${usedText(row.turns, row.limits["turns"])}`,
    marks.join(" "),
    [moneyText(node), noteOf(thread, now)].filter(Boolean).join("   "),
  ];
}

function moneyText({ row, seen, spent, children }: TreeNode): string {
  const cap = capOf(row);
  const own = showShort(row.spent);
  const { account } = seen.statement ?? {};
  if (children.length > 0) {
    const held = account && account.held > 0 ? ` · ${showShort(account.held)} reserved` : "";
    const free =
      account && cap !== null
        ? ` · ${showShort(Math.max(0, cap - account.spent - account.held))} free of ${showShort(cap)}`
        : "";
    return `${own} own · ${showShort(spent)} tree${isTerminal(row.status) ? "" : `${held}${free}`}`;
  }
  if (cap === null) return own;
  return isTerminal(row.status) ? `${own} of ${showShort(cap)}` : `${own} / ${showShort(cap)}`;
}

type Shown = ReturnType<typeof threadObject>;

function noteOf(thread: Shown, now: number): string {
  const { view, approval, now: moment, error } = thread;
  if (view === "suspended" && approval !== null)
    return `${approval} waiting ${age(now - Date.parse(moment.since))}`;
  if (view === "error") return oneLine(error?.message ?? "", 60);
  // Whom it waits for stands right below it.
  if (view === "completed" || view === "cancelled" || view === "waiting") return "";
  return oneLine(moment.doing, 60);
}
