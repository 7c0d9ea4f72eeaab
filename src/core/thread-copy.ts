/**
 * A copy that always has the same shape. A spread makes a shape of its own wherever it stands, and what has met many
 * of them copies slowly; every event begins with this copy, so that what follows meets one.
 */
import type { Thread } from "./thread.ts";

/** Every field there is, so that none can be forgotten. */
type Whole = { [Field in keyof Required<Thread>]: Thread[Field] };

/** One that nobody else has seen yet: it may be changed as it stands. What it holds may be others' as well. */
export type Own = { -readonly [Field in keyof Thread]: Thread[Field] };

export function copyAt(thread: Thread, seq: number, updatedAt: string): Own {
  const copy: Whole = {
    children: thread.children,
    further: thread.further,
    channels: thread.channels,
    spawns: thread.spawns,
    wait: thread.wait,
    asked: thread.asked,
    stopping: thread.stopping,
    id: thread.id,
    directive: thread.directive,
    inputs: thread.inputs,
    model: thread.model,
    system: thread.system,
    tools: thread.tools,
    brought: thread.brought,
    rights: thread.rights,
    limits: thread.limits,
    chainRootId: thread.chainRootId,
    rootId: thread.rootId,
    parentId: thread.parentId,
    outputs: thread.outputs,
    onExit: thread.onExit,
    processes: thread.processes,
    returned: thread.returned,
    forHook: thread.forHook,
    lasting: thread.lasting,
    address: thread.address,
    answering: thread.answering,
    halting: thread.halting,
    run: thread.run,
    nonce: thread.nonce,
    status: thread.status,
    suspendReason: thread.suspendReason,
    waitsFor: thread.waitsFor,
    createdAt: thread.createdAt,
    messages: thread.messages,
    chars: thread.chars,
    shownChars: thread.shownChars,
    measure: thread.measure,
    base: thread.base,
    compaction: thread.compaction,
    compacted: thread.compacted,
    pressed: thread.pressed,
    overflowed: thread.overflowed,
    continuationOf: thread.continuationOf,
    continuedTo: thread.continuedTo,
    forkedFrom: thread.forkedFrom,
    earlier: thread.earlier,
    step: thread.step,
    wantsMore: thread.wantsMore,
    contextTokens: thread.contextTokens,
    spent: thread.spent,
    unbilled: thread.unbilled,
    looks: thread.looks,
    overrun: thread.overrun,
    target: thread.target,
    followUps: thread.followUps,
    autoRetry: thread.autoRetry,
    approval: thread.approval,
    judged: thread.judged,
    repeat: thread.repeat,
    turns: thread.turns,
    usage: thread.usage,
    activeMs: thread.activeMs,
    recoveries: thread.recoveries,
    result: thread.result,
    error: thread.error,
    seq,
    updatedAt,
  };
  return copy;
}
