/** A thread as its first event makes it. */
import { takenOver } from "./context-fold.ts";
import type { Event } from "./event.ts";
import { mint } from "./grant.ts";
import { toolRight } from "./right.ts";
import { rightsOf } from "./rights.ts";
import type { Thread } from "./thread.ts";

export function created(thread: Thread, event: Event<"thread_created">): Thread {
  return {
    ...thread,
    directive: event.directive,
    inputs: event.inputs,
    model: event.model,
    system: event.system,
    tools: event.tools,
    brought: event.brought ?? [],
    // From before there were rights: its tools were what it had.
    rights: rightsOf(
      event.rights ?? mint({ permissions: event.tools.map(toolRight), ask: [], delegates: [] }),
    ),
    limits: event.limits,
    chainRootId: event.chain_root_id,
    rootId: event.root_id,
    parentId: event.parent_id,
    outputs: event.outputs ?? {},
    onExit: event.on_exit ?? "wait",
    forHook: event.hook,
    lasting: event.lasting === true,
    address: event.address,
    // One that lasts has nothing to do before somebody says something.
    wantsMore: event.lasting !== true,
    ...(event.forked_from ? { forkedFrom: event.forked_from } : {}),
    run: event.run,
    nonce: event.nonce,
    createdAt: event.ts,
    ...takenOver(event),
  };
}
