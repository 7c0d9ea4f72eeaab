/** What stands in the exported files. Views only: they are never read back. */
import { toArray } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import { textOf } from "../core/message.ts";
import type { Thread } from "../core/thread.ts";

export function costOf(thread: Thread) {
  const { input, cache_read, cache_write, output } = thread.usage;
  const input_tokens = input + cache_read + cache_write;
  return {
    turns: thread.turns,
    tokens: input_tokens + output,
    input_tokens,
    output_tokens: output,
    spawns: 0,
    // Nobody knows the price of these tokens yet: unknown is shown as unknown.
    spend: null,
    duration_seconds: Math.round(thread.activeMs / 100) / 10,
  };
}

export function threadFile(thread: Thread): string {
  return pretty({
    thread_id: thread.id,
    directive: thread.directive,
    status: thread.status,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    model: thread.model,
    limits: thread.limits,
    capabilities: thread.tools.map((tool) => `selvage.execute.tool.${tool}`),
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
    required_caps: thread.tools.map((tool) => `selvage.execute.tool.${tool}`),
    suspend_reason: thread.suspendReason ?? null,
    seq: thread.seq,
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
