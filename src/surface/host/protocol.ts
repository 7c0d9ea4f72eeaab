/**
 * What is spoken with a host: JSON lines, one command a line and one response for each, with its id echoed. Nothing
 * here knows of sockets. Whatever comes in is either answered or, when it is no line at all, refused once.
 *   {"id": 1, "type": "ping"}  →  {"id":1,"type":"response","command":"ping","success":true,"data":{}}
 */
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";

/** Of one line. No command needs more; who sends more is not heard to the end. */
export const MOST_LINE_BYTES = 65_536;

type Fields = Readonly<Record<string, unknown>>;

export type Commands = Readonly<Record<string, (fields: Fields) => Promise<unknown>>>;

export interface Response {
  readonly id?: string | number;
  readonly type: "response";
  readonly command: string;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
  readonly code?: string;
}

/** Cuts bytes into lines, whatever pieces they come in. */
export class Lines {
  #rest: Buffer = Buffer.alloc(0);

  /** Undefined: a line is longer than any may be, and there is no telling where the next begins. */
  take(piece: Buffer): Buffer[] | undefined {
    const lines: Buffer[] = [];
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      if (end > MOST_LINE_BYTES) return undefined;
      lines.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end + 1);
    }
    this.#rest = bytes;
    return bytes.length > MOST_LINE_BYTES ? undefined : lines;
  }
}

/** Undefined for an empty line, which says nothing. Never rejects. */
export async function respond(line: Buffer, commands: Commands): Promise<Response | undefined> {
  const fields = parse(line);
  if (fields === "empty") return undefined;
  if (fields === "invalid") return refusal({}, "parse", "This line is no JSON object in UTF-8.");
  const said = idOf(fields["id"]);
  const { type } = fields;
  if (typeof type !== "string") return refusal(said, "parse", 'A command has a "type".');
  const command = oneLine(type, 60);
  const act = Object.hasOwn(commands, type) ? commands[type] : undefined;
  if (!act) return refusal(said, command, `There is no command ${command}.`);
  try {
    return { ...said, type: "response", command, success: true, data: await act(fields) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof Problem)) return refusal(said, command, oneLine(message, 500));
    const text = [message, error.why].filter(Boolean).join(" ");
    return { ...refusal(said, command, oneLine(text, 500)), code: error.code };
  }
}

export function tooLong(): Response {
  return refusal({}, "parse", `A line has at most ${MOST_LINE_BYTES} bytes.`);
}

/** An answer that is none of ours counts as none. */
export function readResponse(line: Buffer): Response | undefined {
  const fields = parse(line);
  if (typeof fields === "string" || fields["type"] !== "response") return undefined;
  const { command, success, data, error, code } = fields;
  if (typeof command !== "string" || typeof success !== "boolean") return undefined;
  return {
    ...idOf(fields["id"]),
    ...{ type: "response", command, success, data },
    ...(typeof error === "string" ? { error } : {}),
    ...(typeof code === "string" ? { code } : {}),
  };
}

function refusal(said: Pick<Response, "id">, command: string, error: string): Response {
  return { ...said, type: "response", command, success: false, error };
}

const LONGEST_ID = 200;

function idOf(id: unknown): Pick<Response, "id"> {
  if (typeof id === "number" && Number.isFinite(id)) return { id };
  return typeof id === "string" && id.length <= LONGEST_ID ? { id } : {};
}

function parse(line: Buffer): Fields | "empty" | "invalid" {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line).trim();
    if (text === "") return "empty";
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : "invalid";
  } catch {
    return "invalid";
  }
}
