/** A store whose disk can be made to fail, at any of its write verbs. */
import { StorageFailure } from "../core/failure.ts";
import type { Store } from "../core/store.ts";

export type WriteVerb =
  | "create"
  | "commit"
  | "post"
  | "claim"
  | "enroll"
  | "leave"
  | "beat"
  | "markCorrupt"
  | "remove";

/** `failed`: nothing was written. `landed`: it was, and only the answer was lost. */
export type Fault = "fine" | "failed" | "landed";

const VERBS: readonly WriteVerb[] = [
  "create",
  "commit",
  "post",
  "claim",
  "enroll",
  "leave",
  "beat",
  "markCorrupt",
  "remove",
];

/** The same store; `fault` is asked before each write, with the verb and how often it was used. */
export function faultyStore(
  store: Store,
  fault: (verb: WriteVerb, times: number) => Fault,
  code: "ENOSPC" | "EIO" | "EROFS" = "ENOSPC",
): Store {
  const used = new Map<WriteVerb, number>();
  const wrapped = VERBS.map((verb) => {
    const act = store[verb] as (...given: unknown[]) => Promise<unknown>;
    const guarded = async (...given: unknown[]) => {
      const times = (used.get(verb) ?? 0) + 1;
      used.set(verb, times);
      const kind = fault(verb, times);
      if (kind === "failed") throw new StorageFailure(code, "test disk: nothing was written");
      const answer = await act(...given);
      if (kind === "landed") throw new StorageFailure(code, "test disk: written, but the answer was lost");
      return answer;
    };
    return [verb, guarded] as const;
  });
  return { ...store, ...Object.fromEntries(wrapped) };
}
