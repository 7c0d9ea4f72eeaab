/** Anthropic's messages. */

import { asSaid } from "../core/execute.ts";
import type { Block, CallBlock, Message } from "../core/message.ts";
import type { ProviderEntry } from "../core/provider.ts";
import { cutMiddle } from "../core/text.ts";
import type { ToolSpec } from "../core/tool.ts";
import { AnthropicReader } from "./anthropic-reader.ts";
import { argumentsOf, nameOf, openBody, type Protocol, toolsText, wireJson } from "./protocol.ts";
import { logWriter, type Scribe } from "./written-log.ts";

const VERSION = "2023-06-01";
const MARK = { cache_control: { type: "ephemeral" } };

export function anthropicProtocol(options: ProviderEntry): Protocol {
  const caches = options.prompt_cache !== false;
  const written = logWriter((maxResultChars) => anthropicScribe({ caches, maxResultChars }));
  return {
    path: "/v1/messages",
    headers: (key) => ({
      "anthropic-version": VERSION,
      ...(key === undefined ? {} : { "x-api-key": key }),
    }),
    body: ({ system, tools, messages, maxOutputTokens, maxResultChars }, model) => {
      const block = { type: "text", text: system, ...(caches ? MARK : {}) };
      const open = openBody({
        ...options.body,
        model,
        max_tokens: maxOutputTokens,
        stream: true,
        ...(system === "" ? {} : { system: [block] }),
      });
      const specs = tools.length > 0 ? `,"tools":${toolsText("anthropic", tools, toolSpec)}` : "";
      return { head: `${open}${specs},"messages":[`, log: written(messages, maxResultChars) };
    },
    reader: (on) => new AnthropicReader(on),
  };
}

function toolSpec({ name, description, input }: ToolSpec): object {
  return { name, description, input_schema: input };
}

/**
 * Roles must alternate, so messages of one role become one message: it is left open, and so is its last block,
 * where the mark of the cache stands until the next turn moves it (it must not be part of what is written).
 */
function anthropicScribe({ caches, maxResultChars }: { caches: boolean; maxResultChars: number }): Scribe {
  let open: "user" | "assistant" | undefined;
  return {
    write(message) {
      const blocks = wireBlocks(message, maxResultChars).map(wireJson);
      if (blocks.length === 0) return "";
      const role = message.role === "assistant" ? "assistant" : "user";
      const begin = `{"role":"${role}","content":[`;
      const joint = open === undefined ? begin : open === role ? "}," : `}]},${begin}`;
      open = role;
      return joint + blocks.join(",").slice(0, -1);
    },
    tail() {
      if (open === undefined) return "]}";
      const mark = caches && open === "user" ? `,${JSON.stringify(MARK).slice(1, -1)}` : "";
      return `${mark}}]}]}`;
    },
  };
}

function wireBlocks(message: Message, maxResultChars: number): object[] {
  switch (message.role) {
    case "user":
      return textBlocks(message.text);
    case "assistant":
      return message.blocks.flatMap(wireBlock);
    case "tool":
      return message.results.map(({ call_id, output, status }) => ({
        type: "tool_result",
        tool_use_id: call_id,
        content: cutMiddle(output, maxResultChars),
        ...(status === "ok" ? {} : { is_error: true }),
      }));
  }
}

function wireBlock(block: Block): object[] {
  switch (block.type) {
    case "text":
      return textBlocks(block.text);
    case "call":
      return [toolUse(block)];
    case "reasoning":
      if (block.data !== undefined) return [{ type: "redacted_thinking", data: block.data }];
      // Without its signature it would be refused: it came from another provider.
      if (block.signature === undefined) return [];
      return [{ type: "thinking", thinking: block.text, signature: block.signature }];
  }
}

function toolUse(block: CallBlock): object {
  const { tool, input } = asSaid(block);
  return { type: "tool_use", id: block.call_id, name: nameOf(tool), input: argumentsOf(input) };
}

/** Blank text is refused by the provider. */
function textBlocks(text: string): object[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}
