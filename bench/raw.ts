/** The baseline: what one writes in an afternoon. `fetch`, everything in memory, the whole history serialized again. */
import { PROMPT, SYSTEM, TOOL_NAME, TOOL_SCHEMA } from "./payload.ts";
import { SseReader, type WireBlock, type WireCall } from "./sse.ts";
import type { Job } from "./variant.ts";

interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: unknown;
}

export type RawTool = (input: unknown) => Promise<string>;

export async function rawThread(port: number, job: Job, tool: RawTool): Promise<void> {
  const messages: WireMessage[] = [{ role: "user", content: PROMPT }];
  for (let turn = 0; ; turn += 1) {
    const kind = turn < job.turns ? job.kind : "text";
    job.watch?.ask(turn);
    const blocks = await rawTurn(`http://127.0.0.1:${port}/${kind}/v1/messages`, messages);
    messages.push({ role: "assistant", content: blocks });
    const calls = blocks.filter((block): block is WireCall => block.type === "tool_use");
    if (calls.length === 0) return;
    messages.push({ role: "user", content: await Promise.all(calls.map((call) => result(call, tool))) });
  }
}

async function result(call: WireCall, tool: RawTool): Promise<object> {
  return { type: "tool_result", tool_use_id: call.id, content: await tool(call.input) };
}

async function rawTurn(url: string, messages: readonly WireMessage[]): Promise<WireBlock[]> {
  const tools = [{ name: TOOL_NAME, description: "Keeps a note.", input_schema: TOOL_SCHEMA }];
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "bench",
      max_tokens: 1_000,
      stream: true,
      system: SYSTEM,
      tools,
      messages,
    }),
  });
  if (!response.ok || !response.body) throw new Error(`the stand-in said ${response.status}`);
  const blocks: WireBlock[] = [];
  const reader = new SseReader({ block: (block) => blocks.push(block) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) reader.push(decoder.decode(chunk as Uint8Array, { stream: true }));
  if (!reader.ended) throw new Error("the stream was cut");
  return blocks;
}
