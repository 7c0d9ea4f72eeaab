/** What one turn carries, about 1.4 KB: text of the model, arguments of a call, output of the tool. */
const words = "the quick brown fox jumps over the lazy dog and then sits down to think about it ";

function prose(length: number): string {
  return words.repeat(Math.ceil(length / words.length)).slice(0, length);
}

export const SAID = prose(520);
export const CALL_INPUT = { path: "src/notes/today.md", text: prose(260) };
const output = prose(612);
let outputs = 0;

/** Never twice the same: a call with the same result again and again is a loop, and a person is asked. */
export function toolOutput(): string {
  outputs += 1;
  return `${String(outputs).padStart(7, "0")} ${output}`;
}

export const PROMPT = prose(400);
export const SYSTEM = "You keep notes.";
export const TOOL_NAME = "note";

export const TOOL_SCHEMA = {
  type: "object",
  properties: { path: { type: "string" }, text: { type: "string" } },
  required: ["path", "text"],
} as const;

export const PAYLOAD_BYTES = SAID.length + JSON.stringify(CALL_INPUT).length + toolOutput().length;

/** What the stand-in server answers: text and one call, text alone, a call and then a pause, ten calls. */
export type Kind = "tool" | "text" | "pause" | "ten";
