/**
 * The stand-in for a provider, in a process of its own. It streams server-sent events in the shape of Anthropic's
 * messages, a block at a time, and reads requests without looking into them.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CALL_INPUT, type Kind, SAID, TOOL_NAME } from "./payload.ts";

const PAUSE_MS = 15;
const DELTA_LENGTH = 40;

const opening = sse("message_start", {
  message: { id: "msg", role: "assistant", content: [], usage: { input_tokens: 100, output_tokens: 1 } },
});
const ANSWERS: Record<Kind, readonly string[]> = {
  tool: [opening + textBlock(0), callBlock(1), ending("tool_use")],
  text: [opening + textBlock(0), ending("end_turn")],
  pause: [opening + textBlock(0) + callBlock(1), ending("tool_use")],
  ten: [
    opening + textBlock(0),
    ...Array.from({ length: 10 }, (_, n) => callBlock(n + 1)),
    ending("tool_use"),
  ],
};

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => {
    const kind = (request.url ?? "").split("/")[1] as Kind;
    answer(response, kind).catch(() => response.destroy());
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("disconnect", () => process.exit(0));

async function answer(response: ServerResponse, kind: Kind): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const parts = ANSWERS[kind];
  for (const [index, part] of parts.entries()) {
    if (index > 0) await (kind === "pause" ? sleep(PAUSE_MS) : new Promise(setImmediate));
    if (index === parts.length - 1) response.end(part);
    else response.write(part);
  }
}

function sse(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function block(index: number, content_block: object, deltas: readonly object[]): string {
  return [
    sse("content_block_start", { index, content_block }),
    ...deltas.map((delta) => sse("content_block_delta", { index, delta })),
    sse("content_block_stop", { index }),
  ].join("");
}

function textBlock(index: number): string {
  return block(
    index,
    { type: "text", text: "" },
    slices(SAID).map((text) => ({ type: "text_delta", text })),
  );
}

function callBlock(index: number): string {
  const json = slices(JSON.stringify(CALL_INPUT));
  const start = { type: "tool_use", id: `toolu_${index}`, name: TOOL_NAME, input: {} };
  return block(
    index,
    start,
    json.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );
}

function ending(stop_reason: string): string {
  return (
    sse("message_delta", { delta: { stop_reason }, usage: { output_tokens: 250 } }) + sse("message_stop", {})
  );
}

function slices(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / DELTA_LENGTH) }, (_, index) =>
    text.slice(index * DELTA_LENGTH, (index + 1) * DELTA_LENGTH),
  );
}
