/** The first event of a thread: everything that it is made of. */
import * as z from "zod/mini";
import { CARRIED, CONVERSATION, FORKED_FROM } from "./carried.ts";
import { anything, count, limits, text } from "./shape.ts";

const rightsList = z.readonly(z.array(text));
export const REVOCATION = z.object({ right: text, by: text, from: text });
/** What its directive declares, and what those above it hand on; what follows from it is worked out. */
const rights = z.object({
  permissions: rightsList,
  ask: rightsList,
  delegates: rightsList,
  above: z.readonly(
    z.array(z.object({ thread_id: text, directive: text, hands_on: rightsList, ask: rightsList })),
  ),
  revoked: z.readonly(z.array(REVOCATION)),
});

export const THREAD_CREATED = z.object({
  directive: text,
  inputs: z.record(text, anything),
  model: text,
  system: text,
  tools: z.array(text),
  rights: z.optional(rights),
  limits,
  outputs: z.optional(z.record(text, z.object({ type: text, description: z.optional(text) }))),
  on_exit: z.optional(z.enum(["wait", "cancel"])),
  chain_root_id: text,
  root_id: text,
  parent_id: z.nullable(text),
  run: count,
  nonce: text,
  ...{ hook: z.optional(text), brought: z.optional(z.array(text)) },
  continuation_of: z.optional(text),
  carried: z.optional(CARRIED),
  conversation: z.optional(CONVERSATION),
  forked_from: z.optional(FORKED_FROM),
  lasting: z.optional(z.literal(true)),
  address: z.optional(text),
});
