/**
 * The protocol, on any two ends: lines come in, values go out.
 *   R1. Every command is answered exactly once, with its id; nothing that was not understood is passed over.
 *   R2. Commands begin in order. One that takes long is not waited for: the pipe is never blocked.
 *   R3. What waits is bounded. A command too many is refused with a time after which to come again.
 *   R4. Whatever a command does, the connection goes on.
 */
import { messageOf } from "../../core/input.ts";
import { Problem } from "../../core/problem.ts";
import { toProblem } from "../cli/problem-text.ts";
import { CARE_HANDLERS } from "./care-handlers.ts";
import { type CommandName, checkCommand } from "./commands.ts";
import type { Desk, Handlers } from "./desk.ts";
import { HOUSE_HANDLERS } from "./house-handlers.ts";
import type { Line } from "./lines.ts";
import { SESSION_HANDLERS } from "./session-handlers.ts";
import { THREAD_HANDLERS } from "./thread-handlers.ts";

const HANDLERS: Handlers<CommandName> = {
  ...SESSION_HANDLERS,
  ...THREAD_HANDLERS,
  ...HOUSE_HANDLERS,
  ...CARE_HANDLERS,
};

/** Commands that were taken and are not answered yet. */
const MOST_WAITING = 1_000;
const COME_AGAIN_MS = 250;
/** So long the next command waits for one before it. */
const PATIENCE_MS = 1_000;

type Id = string | number | undefined;

interface Command {
  readonly id: Id;
  readonly name: CommandName;
  readonly ask: unknown;
  readonly isLong: boolean;
}

export class RpcServer {
  readonly #desk: Desk;
  readonly #queue: Command[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #onShutdown: () => void;
  #working: Promise<void> | undefined;

  constructor(desk: Desk, onShutdown: () => void) {
    this.#desk = desk;
    this.#onShutdown = onShutdown;
  }

  /** Never throws, and never waits. */
  take(line: Line): void {
    if ("tooLong" in line)
      return this.#refuse("parse", undefined, usage(`A line of ${line.tooLong} bytes is too long.`));
    if (line.text.trim() === "") return;
    const parsed = parse(line.text);
    if ("why" in parsed) return this.#refuse("parse", undefined, usage(parsed.why));
    const { id, type, ...fields } = parsed.value;
    const isId = id === undefined || typeof id === "string" || typeof id === "number";
    const known = isId ? (id as Id) : undefined;
    if (!isId) return this.#refuse("parse", undefined, usage("id is a text or a number."));
    if (typeof type !== "string")
      return this.#refuse("parse", known, usage("A command is an object with a type, which is a text."));
    if (type === "extension_ui_response") return this.#answered(known, fields);
    const checked = checkCommand(type, fields);
    if ("why" in checked) return this.#refuse(type.slice(0, 60), known, usage(checked.why));
    if (this.#queue.length + this.#underWay.size >= MOST_WAITING) return this.#overloaded(type, known);
    this.#queue.push({ ...checked, id: known });
    this.#working ??= this.#work();
  }

  /** Until everything that was taken is answered; what takes its time has a moment: an abort is done by then. */
  async drained(): Promise<void> {
    while (this.#working) await this.#working;
    if (this.#underWay.size > 0) await this.#inTime(Promise.all(this.#underWay));
  }

  async #work(): Promise<void> {
    // Not before the piece that is being read has been taken whole.
    await Promise.resolve();
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const { isLong } = next;
      const done = this.#do(next).finally(() => this.#underWay.delete(done));
      this.#underWay.add(done);
      if (!isLong) await this.#inTime(done);
    }
    this.#working = undefined;
  }

  async #inTime(done: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([done, this.#desk.world.clock.sleep(PATIENCE_MS, over.signal)]);
    over.abort();
  }

  async #do({ id, name, ask }: Command): Promise<void> {
    try {
      const data = await (HANDLERS[name] as (ask: unknown, desk: Desk) => unknown)(ask, this.#desk);
      this.#send({ command: name, success: true, ...(data === undefined ? {} : { data }) }, id);
    } catch (error) {
      this.#refuse(name, id, error);
    }
    if (name === "shutdown") this.#onShutdown();
  }

  /** An answer to a dialog has no answer of its own, unless it does not count. */
  #answered(id: Id, fields: Readonly<Record<string, unknown>>): void {
    const { confirmed, cancelled } = fields;
    const answer = {
      id: String(id ?? ""),
      confirmed: typeof confirmed === "boolean" ? confirmed : undefined,
      cancelled: cancelled === true,
    };
    const done: Promise<void> = this.#desk.questions
      .answer(answer)
      .then((why) => {
        if (why !== undefined) this.#refuse("extension_ui_response", id, usage(why));
      })
      .catch((error) => this.#refuse("extension_ui_response", id, error))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #overloaded(command: string, id: Id): void {
    const error = `Too many commands are waiting (${MOST_WAITING}). This one was not taken: send it again later.`;
    const said = { command, success: false, error, code: "E_OVERLOADED" };
    this.#send({ ...said, retry_after_ms: COME_AGAIN_MS }, id);
  }

  #refuse(command: string, id: Id, error: unknown): void {
    if (this.#desk.isOver && !(error instanceof Problem)) return;
    this.#send({ command, success: false, ...told(error) }, id);
  }

  #send(answer: object, id: Id): void {
    this.#desk.outlet.send({ ...(id === undefined ? {} : { id }), type: "response", ...answer });
  }
}

function parse(
  text: string,
): { readonly value: Readonly<Record<string, unknown>> } | { readonly why: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
    return { why: "A command is an object, on a line of its own." };
  } catch (error) {
    return { why: `Failed to parse command: ${messageOf(error)}` };
  }
}

function usage(what: string): Problem {
  return new Problem("E_USAGE", { what });
}

/** `error` is one text, as the family has it; what programs may look at stands beside it. */
function told(error: unknown): object {
  const { message, why, code, next, threadId } = toProblem(error);
  if (code === "E_INTERNAL") return { error: messageOf(error), code };
  return {
    error: [message, why].filter((part) => part !== undefined && part !== "").join(" "),
    code,
    ...(next.length > 0 ? { next } : {}),
    ...(threadId === undefined ? {} : { thread_id: threadId }),
  };
}
