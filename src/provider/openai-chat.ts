/** OpenAI's chat completions, which many servers speak. */

import { asSaid } from "../core/execute.ts";
import { type Block, type CallResult, type Message, textOf } from "../core/message.ts";
import type { ProviderEntry } from "../core/provider.ts";
import { cutMiddle } from "../core/text.ts";
import type { ToolSpec } from "../core/tool.ts";
import { OpenAiReader } from "./openai-reader.ts";
import { argumentsOf, nameOf, openBody, type Protocol, toolsText, wireJson } from "./protocol.ts";
import { logWriter, type Scribe } from "./written-log.ts";

export function openAiProtocol(options: ProviderEntry): Protocol {
  const { reasoning_field: reasoningField } = options;
  const written = logWriter((maxResultChars) => openAiScribe({ reasoningField, maxResultChars }));
  const cap = options.max_tokens_field ?? "max_tokens";
  const usage = options.stream_usage === false ? {} : { stream_options: { include_usage: true } };
  return {
    path: "/chat/completions",
    headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    body: ({ system, tools, messages, maxOutputTokens, maxResultChars }, model) => {
      const log = written(messages, maxResultChars);
      const open = openBody({ ...options.body, model, [cap]: maxOutputTokens, stream: true, ...usage });
      const specs = tools.length > 0 ? `,"tools":${toolsText("openai", tools, toolSpec)}` : "";
      const first = system === "" ? "" : wireJson({ role: "system", content: system });
      const joint = first !== "" && log.bytes.length > 0 ? "," : "";
      return { head: `${open}${specs},"messages":[${first}${joint}`, log };
    },
    reader: (on) => new OpenAiReader(on),
  };
}

function toolSpec({ name, description, input }: ToolSpec): object {
  return { type: "function", function: { name, description, parameters: input } };
}

interface Habits {
  readonly reasoningField: string | undefined;
  readonly maxResultChars: number;
}

function openAiScribe(habits: Habits): Scribe {
  let isFirst = true;
  return {
    write(message) {
      const text = wireMessages(message, habits).map(wireJson).join(",");
      if (text === "") return "";
      const joint = isFirst ? "" : ",";
      isFirst = false;
      return joint + text;
    },
    tail: () => "]}",
  };
}

function wireMessages(message: Message, habits: Habits): object[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant":
      return answer(message.blocks, habits);
    case "tool":
      return message.results.map((result) => ({
        role: "tool",
        tool_call_id: result.call_id,
        content: cutMiddle(resultText(result), habits.maxResultChars),
      }));
  }
}

function answer(blocks: readonly Block[], { reasoningField }: Habits): object[] {
  const text = textOf(blocks);
  const calls = blocks.flatMap((block) => {
    if (block.type !== "call") return [];
    const { call_id: id } = block;
    const { tool, input } = asSaid(block);
    return [
      { id, type: "function", function: { name: nameOf(tool), arguments: wireJson(argumentsOf(input)) } },
    ];
  });
  if (text === "" && calls.length === 0) return [];
  const thought = blocks.flatMap((block) => (block.type === "reasoning" ? [block.text] : [])).join("");
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(reasoningField !== undefined && thought !== "" ? { [reasoningField]: thought } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ];
}

/** This wire has no place for the status of a result but its text. */
function resultText({ status, output }: CallResult): string {
  return status === "ok" ? output : `[${status}] ${output}`;
}
