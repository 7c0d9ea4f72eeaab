/** What a thread may do, as people read it. */
import type { Capabilities } from "../../core/capabilities.ts";
import { shortRight, toolRight } from "../../core/right.ts";
import { leaveFor, mayReachNetwork, type Rights } from "../../core/rights.ts";
import { oneLine } from "../../core/text.ts";
import type { Thread } from "../../core/thread.ts";
import type { SandboxInForce } from "./house.ts";
import { counted } from "./moment.ts";

/** A label and what stands beside it, one under the other. */
export type RightsPart = readonly [label: string, lines: readonly string[]];

export function list(rights: readonly string[]): string {
  return rights.map(rightText).join(", ");
}

function rightText(right: string): string {
  const short = shortRight(right);
  return short === "*" ? "everything" : oneLine(short, 100);
}

/** One line: `execute.tool.read · asks first: execute.tool.bash · 1 taken away`. */
export function rightsLine({ held, asks, hands_on, dropped, revoked }: Capabilities): string {
  const parts = [
    ...(held.length > 0 ? [list(held)] : asks.length > 0 ? [] : ["none: it can use no tool"]),
    ...(asks.length > 0 ? [`asks first: ${list(asks)}`] : []),
    ...(hands_on.length > 0 ? [`only hands on: ${list(hands_on)}`] : []),
    ...(dropped.length > 0 ? [`${counted(dropped.length, "right")} not handed on to it`] : []),
    ...(revoked.length > 0 ? [`taken away: ${list(revoked.map(({ right }) => right))}`] : []),
  ];
  return parts.join(" · ");
}

export function rightsParts(
  { id, tools, rights }: Pick<Thread, "id" | "tools" | "rights">,
  { held, asks, hands_on, dropped, revoked }: Capabilities,
  network: string,
): RightsPart[] {
  const nameOf = (threadId: string) => {
    const above = rights.above.find(({ thread_id }) => thread_id === threadId);
    return above ? `${threadId} (${above.directive})` : threadId;
  };
  const none = held.length + asks.length === 0 ? ["nothing: it can call no tool"] : [];
  const parts: RightsPart[] = [
    ["may use", [...held.map(rightText), ...none]],
    ["asks first", asks.map(rightText)],
    ["hands on", hands_on.map((right) => `${rightText(right)}  (may not use it itself)`)],
    [
      "dropped",
      dropped.map(
        ({ right, by }) => `${rightText(right)}  not handed on whole by ${by.map(nameOf).join(", ")}`,
      ),
    ],
    [
      "taken away",
      revoked.map(({ right, by, from }) => {
        const whose = from === id ? "" : `, from ${nameOf(from)}`;
        return `${rightText(right)}  by ${oneLine(by, 60)}${whose}`;
      }),
    ],
    ["tools", [tools.length > 0 ? tools.map((tool) => toolText(rights, tool)).join(", ") : "none"]],
    ["network", [network]],
  ];
  return parts.filter(([, lines]) => lines.length > 0);
}

/** It goes on being offered what was taken from it, so that what it was told stays as it is. */
function toolText(rights: Rights, tool: string): string {
  const words = { free: "", ask: " (asks first)", denied: " (refused)" };
  return `${tool}${words[leaveFor(rights, toolRight(tool))]}`;
}

/** The right is one thing, a wall that makes it matter another. */
export function networkObject(thread: Pick<Thread, "rights">, sandbox: SandboxInForce) {
  return { right: mayReachNetwork(thread), sandbox };
}

export function networkText(thread: Pick<Thread, "rights">, sandbox: SandboxInForce): string {
  const hasRight = mayReachNetwork(thread);
  switch (sandbox.type) {
    case "bubblewrap":
      return hasRight
        ? "commands reach it (execute.process.network)"
        : "commands do not reach it: no right execute.process.network";
    case "refused":
      return `commands do not run: the settings require a sandbox, and there is none (${sandbox.why})`;
    case "none": {
      const why = sandbox.why === undefined ? "switched off" : sandbox.why;
      return `commands reach it${hasRight ? "" : " without a right to it"}: there is no sandbox here (${why})`;
    }
  }
}
