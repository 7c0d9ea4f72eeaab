/** Orders about many and long things, and what is reported of them. */

export type ScaleOrder =
  /** Parents of ten start children one after the other, each of which they wait for. */
  | { readonly type: "tree"; readonly children: number }
  /** Hosts a project in which this many threads wait for a person, until it is told to sum up. */
  | { readonly type: "await"; readonly root: string; readonly threads: number }
  | { readonly type: "awaited" }
  /** Answers questions that another process hosts, one after the other. */
  | { readonly type: "decide"; readonly root: string; readonly approvals: readonly string[] }
  /** A thread of this many turns stops at its limit, and is let go on by one turn, again and again. */
  | { readonly type: "resume"; readonly turns: number; readonly rounds: number }
  /** Threads that wait for a person are put into a store; then another process hosts them. */
  | { readonly type: "park"; readonly path: string; readonly threads: number }
  | { readonly type: "parked"; readonly root: string }
  | { readonly type: "orphans"; readonly path: string; readonly threads: number }
  | { readonly type: "journal"; readonly path: string; readonly bytes: number };

/** By a clock that all processes of a machine share, in ms. */
export type Instants = Readonly<Record<string, number>>;

export interface ScaleReplies {
  readonly tree: { readonly heardMs: readonly number[]; readonly commitMs: readonly number[] };
  readonly await: { readonly approvals: readonly string[] };
  readonly awaited: { readonly decided: Instants };
  readonly decide: { readonly begun: Instants; readonly returned: Instants };
  readonly resume: {
    readonly askedMs: readonly number[];
    readonly cpuMs: readonly number[];
    readonly heardMs: readonly number[];
  };
  readonly park: { readonly threads: number };
  readonly parked: { readonly rssBytes: number; readonly heapBytes: number };
  readonly orphans: { readonly threads: number };
  readonly journal: { readonly events: number };
}

export function instant(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
