/** Facts and requests without their secrets, as they are stored. */
import type { NewEvent } from "./event.ts";
import type { Redactor } from "./redact.ts";
import type { Request } from "./request.ts";

/** Names that files of the project gave. Whoever looks a thing up by such a name must find it. */
const NAMES = [
  "type",
  "kind",
  "thread_id",
  "directive",
  "model",
  "chain_root_id",
  "root_id",
  "parent_id",
  "child_id",
  "descendant_id",
  "further",
  "from",
  "members",
  "forked_from",
  "point",
];

export function redactEvent<T extends NewEvent>(event: T, redactor: Redactor): T {
  return reasonable(kept(event, redactor), event);
}

export function redactRequest(request: Request, redactor: Redactor): Request {
  return kept(request, redactor);
}

function kept<T extends object>(given: T, { value }: Redactor): T {
  const redacted = value(given);
  if (redacted === given) return given;
  const names = Object.entries(given).filter(([key]) => NAMES.includes(key));
  return { ...redacted, ...Object.fromEntries(names) };
}

/**
 * The signature of a reasoning block proves its text: changed, it would be refused, so it goes, and the block is not
 * sent back. What only the provider can read is nobody's secret, and stays as it came.
 */
function reasonable<T extends NewEvent>(event: T, before: T): T {
  if (event === before) return event;
  if (event.type === "cognition_out" && before.type === "cognition_out") {
    const content = event.content.map((block, at) => provable(block, before.content[at]));
    return { ...event, content };
  }
  if (event.type === "tool_call_start" && before.type === "tool_call_start") {
    const preceding = event.preceding.map(({ at, block }, index) => ({
      at,
      block: provable(block, before.preceding[index]?.block),
    }));
    return { ...event, preceding };
  }
  return event;
}

type Piece = NewEvent<"cognition_out">["content"][number];

function provable<B extends Piece>(block: B, before: B | undefined): B {
  if (block.type !== "reasoning" || before?.type !== "reasoning") return block;
  if (block.text === before.text) return before;
  const { signature: _, ...rest } = before;
  return { ...rest, text: block.text } as B;
}
