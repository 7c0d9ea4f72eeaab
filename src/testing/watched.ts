/** A model and tools that are watched while they work: what must never happen is told. */
import { type Declared, mint } from "../core/grant.ts";
import { toArray } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import type { Model } from "../core/model.ts";
import { toolRight } from "../core/right.ts";
import { leaveFor, mayReachNetwork, rightsOf, withoutRights } from "../core/rights.ts";
import type { Tool } from "../core/tool.ts";
import type { Universe } from "./universe.ts";

/** Broken rules are collected here as sentences; a run without any is a good run. */
export interface Oracle {
  readonly broken: string[];
}

/** Judges every call: nothing runs without its right, without the yes that it needs, or with more network (K1, K6, L7). */
export function watchedTool(
  tool: Tool,
  { id, declared }: { readonly id: string; readonly declared: Declared },
  universe: Universe,
  oracle: Oracle,
): Tool {
  return {
    ...tool,
    run(input, context) {
      const { threadId, callKey } = context;
      // A child has less: what comes of that is judged where it is decided.
      if (threadId !== id) return tool.run(input, context);
      const events = universe.acknowledged.get(threadId) ?? [];
      const taken = events.flatMap((event) => (event.type === "rights_revoked" ? event.revoked : []));
      const rights = withoutRights(rightsOf(mint(declared)), taken);
      const leave = leaveFor(rights, toolRight(tool.name));
      const questions = events.flatMap((event) =>
        event.type === "approval_requested" && event.call?.call_id === callKey ? [event.approval_id] : [],
      );
      const isAgreed = events.some(
        (event) =>
          event.type === "approval_decided" && event.approved && questions.includes(event.approval_id),
      );
      if (leave === "denied") oracle.broken.push(`${tool.name} ran without its right`);
      if (leave === "ask" && !isAgreed) oracle.broken.push(`${tool.name} ran and nobody said yes`);
      if (context.network !== mayReachNetwork({ rights }))
        oracle.broken.push(
          `${tool.name} ran ${context.network ? "with" : "without"} the network, against its rights`,
        );
      return tool.run(input, context);
    },
  };
}

/** Judges every request: no recorded answer is sampled again (P4), every call has exactly one result (T6). */
export function watchedModel(model: Model, universe: Universe, oracle: Oracle): Model {
  return {
    ...model,
    ask(request, on, signal) {
      const stored = universe.acknowledged.get(request.threadId) ?? [];
      const answered = stored.filter((event) => event.type === "cognition_out").length;
      if (answered > request.answers) oracle.broken.push(`answer ${request.answers + 1} was sampled again`);
      for (const problem of unpaired(toArray(request.messages))) oracle.broken.push(problem);
      return model.ask(request, on, signal);
    },
  };
}

function unpaired(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    const asked = message.blocks.flatMap((block) => (block.type === "call" ? [block.call_id] : []));
    const next = messages[index + 1];
    const got = next?.role === "tool" ? next.results.map((result) => result.call_id) : [];
    return asked.join() === got.join() ? [] : [`calls [${asked.join()}] have results [${got.join()}]`];
  });
}
