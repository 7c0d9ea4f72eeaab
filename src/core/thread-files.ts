/** The files of threads beside the store, as a whole. None of them is needed by anybody but people. */
export interface ThreadFiles {
  /** Bytes of all of theirs. */
  weigh(threadIds: readonly string[]): number;
  /** They go; what cannot be removed is told, and holds up nobody. */
  forget(threadIds: readonly string[]): readonly string[];
  /** The last event of a thread that was exported for somebody; 0 when none is known to have been. */
  exportedSeq(threadId: string): number;
  noteExported(threadId: string, seq: number): void;
}
