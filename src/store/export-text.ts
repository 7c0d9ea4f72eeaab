/** What stands in the exported files. Views only: they are never read back. */
import { capabilitiesOf } from "../core/capabilities.ts";
import { costOf } from "../core/cost.ts";
import type { Event } from "../core/event.ts";
import { toArray } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import { textOf } from "../core/message.ts";
import type { Thread } from "../core/thread.ts";

export function threadFile(thread: Thread): string {
  const { held, asks, revoked } = capabilitiesOf(thread.rights);
  return pretty({
    thread_id: thread.id,
    directive: thread.directive,
    status: thread.status,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    model: thread.model,
    limits: thread.limits,
    capabilities: [...held, ...asks],
    // Of something wider that it has, this is not in it any more.
    ...(revoked.length > 0 ? { revoked: revoked.map(({ right }) => right) } : {}),
    cost: costOf(thread),
    nonce: thread.nonce,
  });
}

export function stateFile(thread: Thread): string {
  return pretty({
    directive: thread.directive,
    inputs: thread.inputs,
    cost: costOf(thread),
    limits: thread.limits,
    hooks: [],
    required_caps: [...thread.rights.permissions, ...thread.rights.ask],
    suspend_reason: thread.suspendReason ?? null,
    seq: thread.seq,
  });
}

/** The question as it was asked; what it does not have is left out. */
export function requestFile(asked: Event<"approval_requested">): string {
  return pretty({
    id: asked.approval_id,
    prompt: asked.prompt,
    thread_id: asked.thread_id,
    created_at: asked.ts,
    timeout_seconds: asked.timeout_seconds,
    digest: asked.digest,
    reason: asked.reason,
    limit_code: asked.limit_code,
    current: asked.current,
    current_max: asked.current_max,
    proposed_max: asked.proposed_max,
    call: asked.call,
    on_deny: asked.on_deny,
  });
}

export function escalationFile(thread: Thread, asked: Event<"approval_requested">): string {
  return pretty({
    type: "limit_escalation",
    thread_id: thread.id,
    directive: thread.directive,
    limit_code: asked.limit_code,
    current_value: asked.current,
    current_max: asked.current_max,
    proposed_max: asked.proposed_max,
    current_cost: costOf(thread),
    message: asked.prompt,
    approval_request_id: asked.approval_id,
  });
}

export function contextLines(messages: readonly Message[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
}

export function transcriptMarkdown(thread: Thread): string {
  const head = `# ${thread.id}\n\n${thread.directive} · ${thread.status} · ${thread.turns} turns\n`;
  return `${head}\n${toArray(thread.messages).map(section).join("\n")}`;
}

function section(message: Message): string {
  switch (message.role) {
    case "user":
      return `## Prompt\n\n${quoted(message.text)}\n`;
    case "assistant": {
      const calls = message.blocks.flatMap((block) =>
        block.type === "call" ? [`- \`${block.tool}\` ${fenced(JSON.stringify(block.input))}`] : [],
      );
      return `## Answer\n\n${quoted(textOf(message.blocks))}\n${calls.map((call) => `${call}\n`).join("")}`;
    }
    case "tool":
      return `## Results\n\n${message.results
        .map((result) => `- \`${result.tool}\` ${result.status}\n\n${quoted(result.output)}\n`)
        .join("")}`;
  }
}

/** Quoted line by line: nothing that a model or tool wrote can look like one of our headings. */
function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function fenced(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
