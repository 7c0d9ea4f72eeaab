/** What is said when rights were taken away: which, what is left, and that they do not come back. */
import { type Capabilities, capabilitiesOf } from "../../core/capabilities.ts";
import { EXIT } from "../../core/problem.ts";
import { inFlight } from "../../core/recover.ts";
import { toolRight } from "../../core/right.ts";
import { leaveFor, type Rights } from "../../core/rights.ts";
import { isTerminal } from "../../core/status.ts";
import type { Answer } from "./answer.ts";
import { rightsNow } from "./rights-now.ts";
import { list, rightsLine } from "./rights-text.ts";
import { type Seen, threadObject } from "./thread-object.ts";

export interface Revoked {
  readonly taken: readonly string[];
  readonly hasNot: readonly string[];
  readonly isApplied: boolean;
}

export function revokeAnswer(seen: Seen, { taken, hasNot, isApplied }: Revoked): Answer {
  const { thread, sighting } = seen;
  const { thread_id } = sighting.row;
  const rights = rightsNow(seen);
  const capabilities = capabilitiesOf(rights);
  // What a dead owner left behind is not under way.
  const calls = sighting.owner === "alive" || sighting.owner === "elsewhere" ? inFlight(thread) : [];
  const running = calls.filter(({ tool }) => leaveFor(rights, toolRight(tool)) === "denied");
  const in_flight = running.map(({ call_id, tool }) => ({ call_id, tool }));
  const data = {
    ...{ thread_id, revoked: taken, not_held: hasNot, applied: isApplied, in_flight, capabilities },
    thread: threadObject(seen),
  };
  const told = { taken, hasNot, isApplied, capabilities };
  const text = words(
    seen,
    told,
    in_flight.map(({ tool }) => tool),
  );
  return { kind: "revoke", exit: EXIT.ok, data, text, hint: taken.length > 0 ? hint(seen, rights) : "" };
}

function words(
  { sighting }: Seen,
  { taken, hasNot, isApplied, capabilities }: Revoked & { readonly capabilities: Capabilities },
  running: readonly string[],
): string {
  const { thread_id, status } = sighting.row;
  const waits = sighting.host
    ? "its owner takes it down when what is under way has ended"
    : `nobody runs it: selvage recover ${thread_id} takes it up`;
  return [
    ...(taken.length > 0 ? [`⊘ ${thread_id}: taken away: ${list(taken)}`] : []),
    ...(hasNot.length > 0
      ? [`${thread_id} does not have: ${list(hasNot)}${taken.length > 0 ? "" : ". Nothing was written."}`]
      : []),
    ...(isApplied || isTerminal(status)
      ? []
      : [`  It is stored, and no call that needs it starts from now on; ${waits}.`]),
    ...running.map((tool) => `  ${tool} is under way and runs to its end.`),
    `  It still has: ${rightsLine(capabilities)}`,
  ].join("\n");
}

function hint({ thread, sighting }: Seen, rights: Rights): string {
  const { thread_id } = sighting.row;
  const first = thread.rights.above[0]?.directive ?? thread.directive;
  const asked = thread.approval?.call;
  const isMoot = asked && leaveFor(rights, toolRight(asked.tool)) === "denied";
  return [
    ...(isMoot
      ? [
          `Its open question ${thread.approval?.approval_id} is about ${asked.tool}: neither a yes nor a no runs it now, and it goes on after either.`,
        ]
      : []),
    `What was taken does not come back to this thread. Another one has it: selvage run ${first}`,
    `  next  selvage show ${thread_id} --caps`,
  ].join("\n");
}
