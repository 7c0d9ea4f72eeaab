/** Feeds an activation that waits: of all that it waits for, what the journal tells of next. */
import type { Event } from "../core/event.ts";
import type { CallId } from "../core/id.ts";
import type { Block, RawBlock } from "../core/message.ts";
import { SPAWN_TOOL } from "../core/orchestration.ts";
import { Problem } from "../core/problem.ts";
import { holdsMark } from "../core/redact.ts";
import {
  blocksOf,
  endingOf,
  failedEnding,
  hookAnswer,
  notesMissing,
  outcomeOf,
  rawBlock,
  UNPAID_NOTES,
} from "./answers.ts";
import { type Created, preparedFrom } from "./below.ts";
import { stopLife } from "./driver.ts";
import type { Life, OpenAsk, OpenHook, OpenPrepare } from "./life.ts";
import type { Policies } from "./ports.ts";
import { isStorage, type Recorder } from "./recorder.ts";
import { fieldsOf } from "./same.ts";
import type { Tape } from "./tape.ts";

interface FeederNeeds {
  readonly tape: Tape;
  readonly policies: Pick<Policies, "tool">;
  readonly createdOf: (threadId: string) => Created | undefined;
}

/** Facts that a call may have written down beside its result. */
const FACTS = ["process_started", "process_stopped", "child_thread_resumed"];

/** What is asked for with these stops what runs. */
const ENDINGS: readonly string[] = ["cancel", "stop", "mark_error"];

/** After these a request begins anew. */
const BEGINNINGS = ["step_start", "error_classified", "crash_detected"];

export class Feeder {
  readonly #life: Life;
  readonly #tape: Tape;
  readonly #needs: FeederNeeds;
  readonly #recorder: Recorder;

  constructor(life: Life, needs: FeederNeeds, recorder: Recorder) {
    this.#life = life;
    this.#tape = needs.tape;
    this.#needs = needs;
    this.#recorder = recorder;
  }

  /** False when nothing that waits is what comes next. */
  feed(): boolean {
    const { hooks, prepares, ask } = this.#life;
    if (isStorage(this.#tape)) return this.#lose();
    return (
      hooks.some((hook) => this.#hook(hook)) ||
      this.#call() ||
      prepares.some((prepare) => this.#prepare(prepare)) ||
      (ask !== undefined && this.#ask(ask))
    );
  }

  /** What the disk did not take is not known: whatever it is, it is not written. */
  #lose(): boolean {
    const { ask, calls } = this.#life;
    const [lost] = calls;
    if (lost) {
      calls.delete(lost[0]);
      lost[1].give({ status: "ok", output: "" });
      return true;
    }
    this.#life.ask = undefined;
    ask?.end({ type: "end", stop: "end_turn" });
    return ask !== undefined;
  }

  #hook(open: OpenHook): boolean {
    const { hook, point, say } = open;
    const answer = hookAnswer(this.#tape, { point, hook: hook.id });
    if (!answer) return this.#stopHook(open);
    this.#life.hooks = this.#life.hooks.filter((other) => other !== open);
    say(answer);
    return true;
  }

  /** What a hook says while it is being stopped does not count. */
  #stopHook(open: OpenHook): boolean {
    const asked = this.#recorder.asked(0);
    if (!asked || !ENDINGS.includes(asked.request.kind)) return false;
    stopLife(this.#life, this.#recorder, 0);
    this.#life.hooks = this.#life.hooks.filter((other) => other !== open);
    open.say({ problem: "it was stopped" });
    return true;
  }

  #call(): boolean {
    const { calls } = this.#life;
    const { next } = this.#tape;
    if (next?.type === "process_started" && !next.ready) return this.#note(next);
    const at = this.#tape.placeOf(({ type }) => !FACTS.includes(type));
    const result = this.#tape.ahead(at);
    if (result?.type !== "tool_call_result" || result.source !== "run") return false;
    const open = calls.get(result.call_id as CallId);
    if (!open) return false;
    if (result.status === "stopped" && !this.#life.isInterrupted)
      stopLife(this.#life, this.#recorder, this.#placeOfEnd());
    for (const fact of this.#tape.span(0, at)) open.notes.withResult(fieldsOf(fact));
    calls.delete(result.call_id as CallId);
    open.give(outcomeOf(result));
    return true;
  }

  #note(event: Event<"process_started">): boolean {
    const open = this.#life.calls.get(event.call_id as CallId);
    if (!open || open.notedAt === this.#tape.at) return false;
    open.notedAt = this.#tape.at;
    open.notes.now(fieldsOf(event)).catch(() => {});
    return true;
  }

  /** Where an end was asked for that stopped what runs; undefined when nobody asked for one. */
  #placeOfEnd(): number | undefined {
    return this.#recorder.comingAsk(0, ({ kind }) => ENDINGS.includes(kind));
  }

  #ask(open: OpenAsk): boolean {
    const { next } = this.#tape;
    if (next?.type === "tool_call_start" && next.turn === open.turn && next.at >= open.fed) {
      this.#stream(open, next.at + 1);
      return true;
    }
    if (next?.type === "error_classified") {
      if (next.rule === "aborted") stopLife(this.#life, this.#recorder, this.#placeOfEnd());
      this.#life.ask = undefined;
      open.end(failedEnding(next));
      return true;
    }
    const isAnswer =
      next?.type === "cognition_out" ||
      next?.type === "retry_succeeded" ||
      (next?.type === "auto_retry_end" && next.success);
    const answer = isAnswer ? this.#tape.coming("cognition_out") : undefined;
    if (!answer) return false;
    this.#stream(open, answer.content.length);
    this.#life.ask = undefined;
    open.end(endingOf(answer));
    return true;
  }

  #stream(open: OpenAsk, until: number): void {
    open.blocks ??= blocksOf(sinceBegun(this.#tape), open.turn);
    for (; open.fed < until; open.fed += 1) {
      const block = open.blocks[open.fed];
      if (block) open.on({ type: "block", block: this.#raw(block) });
    }
  }

  /** A call as the model made it, as far as the journal tells of what was wrong with it. */
  #raw(block: Block): RawBlock {
    if (block.type !== "call") return block;
    const { call_id, tool: name, input } = block;
    const start = this.#tape.ofCall("tool_call_start", call_id);
    const tool = this.#needs.policies.tool(name);
    if (start?.effect === "manual" && holdsMark(input) && isMapping(input))
      return rawBlock({ ...block, input: this.#life.secretly(input) });
    const isRefused = start?.effect === "pure" && tool !== undefined && tool.effect !== "pure";
    const result = isRefused ? this.#tape.ofCall("tool_call_result", call_id) : undefined;
    return rawBlock(block, result?.status === "error" ? result.output : undefined);
  }

  /** A directive is as it was when its child was started; where none was, its refusal is the answer. */
  #prepare(open: OpenPrepare): boolean {
    const { next } = this.#tape;
    const { directive, inputs } = open.ask;
    const isSpawn = next?.type === "tool_call_start" && next.tool === SPAWN_TOOL;
    if (isSpawn && (next.input as { directive?: unknown }).directive !== directive) return false;
    this.#life.prepares = this.#life.prepares.filter((other) => other !== open);
    const isOver = ({ type }: Event) => type === "tool_call_result" || type === "wait_started";
    const until = isSpawn ? this.#tape.placeOf(isOver) + 1 : 20;
    const started = this.#tape
      .span(0, until)
      .find((event) => event.type === "child_thread_started" && event.directive === directive);
    const missing = "transcript" in inputs ? notesMissing(this.#tape) : undefined;
    // There was one, and no money for it: what it said is not known, and nothing was made of it.
    const like = missing === UNPAID_NOTES ? this.#tape.threadId : undefined;
    const childId = started?.type === "child_thread_started" ? started.child_id : like;
    const created = childId === undefined ? undefined : this.#needs.createdOf(childId);
    if (created) open.give(preparedFrom({ ...created, directive }));
    else open.fail(new Problem("E_DIRECTIVE_NOT_FOUND", { what: missing ?? this.#refusal() }));
    return true;
  }

  /** In the words that were written down. */
  #refusal(): string {
    const [first, second] = this.#tape.span(0, 2);
    if (first?.type === "tool_call_start" && second?.type === "tool_call_result") return second.output;
    const told = this.#tape.coming("hook_matched")?.problem;
    return told?.replace(/^The hook .*? decided nothing: /s, "").replace(/\.$/, "") ?? "it was not there";
  }
}

/** What was written since the request began that is under way, and all that comes. */
function* sinceBegun(tape: Tape): Generator<Event> {
  let place = -1;
  for (let event = tape.ahead(place); event && !BEGINNINGS.includes(event.type); event = tape.ahead(place))
    place -= 1;
  for (let event = tape.ahead(place + 1); event; event = tape.ahead(place + 1)) {
    yield event;
    place += 1;
  }
}

function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
