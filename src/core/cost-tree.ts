/** Threads as the trees they are: each below its parent, with what its descendants cost. One pass each way. */

/** One chain: what is below it names the chain, whichever of its threads was at work then. */
export interface TreeMember {
  readonly chain_root_id: string;
  readonly parent_id: string | null;
}

export interface TreeLine<T> {
  readonly member: T;
  /** 0 for those whose parent is not among them. */
  readonly depth: number;
  /** What all below it came to, in nano-dollars. */
  readonly below: number;
  readonly descendants: number;
}

/** Newest first, as the registry lists them; in a tree parents come before their children, and those in order of birth. */
export function treeOf<T extends TreeMember>(
  newestFirst: readonly T[],
  own: (member: T) => number,
): TreeLine<T>[] {
  const known = new Set(newestFirst.map(({ chain_root_id }) => chain_root_id));
  const sums = new Map<string, { below: number; descendants: number }>();
  const children = new Map<string, T[]>();
  const tops: T[] = [];
  const sumOf = (id: string) => sums.get(id) ?? { below: 0, descendants: 0 };
  // A child is younger than its parent: whoever comes up has all of its descendants behind it.
  for (const member of newestFirst) {
    const { chain_root_id: id, parent_id } = member;
    if (parent_id === null || !known.has(parent_id)) {
      tops.push(member);
      continue;
    }
    const { below, descendants } = sumOf(id);
    const above = sumOf(parent_id);
    sums.set(parent_id, {
      below: above.below + own(member) + below,
      descendants: above.descendants + 1 + descendants,
    });
    const siblings = children.get(parent_id);
    if (siblings) siblings.push(member);
    else children.set(parent_id, [member]);
  }
  const lines: TreeLine<T>[] = [];
  const open = tops.reverse().map((member) => ({ member, depth: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { member, depth } = next;
    lines.push({ member, depth, ...sumOf(member.chain_root_id) });
    // Siblings were found newest first: the oldest is on top of the stack.
    for (const child of children.get(member.chain_root_id) ?? [])
      open.push({ member: child, depth: depth + 1 });
  }
  return lines;
}

/** A chain, named by its first thread, with all below it, in the order they were given. */
export function subtreeOf<T extends TreeMember>(newestFirst: readonly T[], top: string): T[] {
  const within = new Set([top]);
  const found = [...newestFirst].reverse().filter(({ chain_root_id, parent_id }) => {
    const isIn = chain_root_id === top || (parent_id !== null && within.has(parent_id));
    if (isIn) within.add(chain_root_id);
    return isIn;
  });
  return found.reverse();
}
