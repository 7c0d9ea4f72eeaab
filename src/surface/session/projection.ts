/**
 * Journal events and live events of one chain, told as the family tells of them. Pure: the same events give the same
 * story, whether they are heard as they happen or read from the store years later.
 *   P1. Every durable fact comes out of a durable event; what is dropped on the way are deltas and progress alone.
 *   P2. A message begins before it ends, a turn has its message and its results, and `agent_end` closes what is open.
 *   P3. `agent_settled` comes last, and only when nothing goes on by itself.
 */

import type { Event, LiveEvent } from "../../core/event.ts";
import type { Block, Message } from "../../core/message.ts";
import type { FollowUp } from "../../core/spoken.ts";
import { kept } from "../../core/spoken.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  type Content,
  shownBlock,
  shownConversation,
  shownUsage,
  splitModel,
  type ToolResultMessage,
  textResult,
} from "./message.ts";
import { type FamilyEvent, isPassedOn, type SessionEvent } from "./session-event.ts";

type Start = Event<"context_compaction_start">;
const REASONS: Record<Start["why"], "manual" | "threshold" | "overflow"> = {
  person: "manual",
  pressure: "threshold",
  hook: "threshold",
  overflow: "overflow",
};

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
}

/** The answer under way. */
interface Draft {
  /** Text that was heard live, while nothing of the answer is known for sure. */
  heard: string;
  readonly blocks: Map<number, Block>;
  isTold: boolean;
}

export class Projection {
  #model = "";
  #isGoing = false;
  #isHandedOn = false;
  #settled: string | undefined;
  #turn = 0;
  #isTurnOpen = false;
  #draft: Draft = { heard: "", blocks: new Map(), isTold: false };
  #answer: AssistantMessage | undefined;
  #results: ToolResultMessage[] = [];
  #run: AgentMessage[] = [];
  #followUps: readonly FollowUp[] = [];
  #compaction: Start | undefined;
  readonly #calls = new Map<string, OpenCall>();

  /** What waits for the end, the oldest first. */
  get followUps(): readonly string[] {
    return this.#followUps.map(({ text }) => text);
  }

  /** What is to be told after this event, in order. */
  tell(event: Event | LiveEvent): SessionEvent[] {
    const told = this.#family(event);
    return "seq" in event && isPassedOn(event) ? [event, ...told] : told;
  }

  #family(event: Event | LiveEvent): FamilyEvent[] {
    switch (event.type) {
      case "thread_created":
        return this.#created(event);
      case "thread_started":
      case "thread_resumed":
        return this.#begin();
      case "cognition_in":
        return [...this.#unqueue(event.request_id), ...this.#said(event.text, event.ts)];
      case "message_received":
        return event.after ? this.#queue(event) : this.#said(event.text, event.ts);
      case "message_stopped":
        return event.unread ? this.#unqueue(event.for) : [];
      case "step_start":
        return this.#openTurn(event.turn);
      case "cognition_out_delta":
        return this.#delta(event);
      case "tool_call_start":
        return this.#callStarts(event);
      case "tool_call_progress":
        return this.#progress(event);
      case "tool_call_result":
        return this.#callEnds(event);
      case "cognition_out":
        return this.#answered(event);
      case "step_finish":
        return this.#closeTurn();
      case "error_classified":
        return this.#failed(event);
      default:
        return this.#milestone(event);
    }
  }

  #milestone(event: Event): FamilyEvent[] {
    switch (event.type) {
      case "auto_retry_start": {
        const { attempt, maxAttempts, delayMs, errorMessage } = event;
        const told = { type: "auto_retry_start" as const, attempt, maxAttempts, delayMs, errorMessage };
        return [...this.#end(true), told];
      }
      case "auto_retry_end": {
        const { success, attempt, finalError } = event;
        const why = finalError === undefined ? {} : { finalError };
        return [{ type: "auto_retry_end", success, attempt, ...why }];
      }
      case "context_compaction_start":
        this.#compaction = event;
        return [{ type: "compaction_start", reason: REASONS[event.why] }];
      case "context_compaction_end":
        return this.#compacted(event);
      case "thread_suspended":
        return this.#settle("suspended", event);
      case "thread_completed":
        return this.#settle("completed", event);
      case "thread_failed":
        return this.#settle("error", event);
      case "thread_cancelled":
        return this.#settle("cancelled", event);
      case "thread_continued":
        this.#isHandedOn = event.why === "context";
        return [];
      default:
        return [];
    }
  }

  /** A thread that goes on where another was full belongs to the same run. */
  #created(event: Event<"thread_created">): FamilyEvent[] {
    this.#model = event.model;
    this.#followUps = event.carried?.follow_ups ?? [];
    if (event.continuation_of !== undefined || !event.conversation) return [];
    const said = event.conversation as readonly Message[];
    return shownConversation(said, event.model, Date.parse(event.ts)).flatMap(whole);
  }

  #begin(): FamilyEvent[] {
    if (this.#isHandedOn) {
      this.#isHandedOn = false;
      return [];
    }
    return this.#goOn();
  }

  #goOn(): FamilyEvent[] {
    if (this.#isGoing) return [];
    this.#isGoing = true;
    this.#settled = undefined;
    return [{ type: "agent_start" }];
  }

  #openTurn(turn: number): FamilyEvent[] {
    const going = this.#goOn();
    if (this.#isTurnOpen && this.#turn === turn) return going;
    this.#turn = turn;
    this.#isTurnOpen = true;
    this.#clear();
    return [...going, { type: "turn_start" }];
  }

  #clear(): void {
    this.#draft = { heard: "", blocks: new Map(), isTold: false };
    this.#answer = undefined;
    this.#results = [];
  }

  #said(content: string, ts: string): FamilyEvent[] {
    const message = { role: "user" as const, content, timestamp: Date.parse(ts) };
    this.#run.push(message);
    return whole(message);
  }

  #queue(event: Event<"message_received">): FamilyEvent[] {
    this.#followUps = kept(this.#followUps, event);
    return [this.#queued()];
  }

  #unqueue(requestId: string | undefined): FamilyEvent[] {
    const left = this.#followUps.filter(({ request_id }) => request_id !== requestId);
    if (left.length === this.#followUps.length) return [];
    this.#followUps = left;
    return [this.#queued()];
  }

  #queued(): FamilyEvent {
    return { type: "queue_update", steering: [], followUp: this.followUps };
  }

  #delta({ turn, text, ts }: LiveEvent & { type: "cognition_out_delta" }): FamilyEvent[] {
    const opened = this.#openTurn(turn);
    // What comes late, after the answer is whole, says nothing new.
    if (this.#answer) return opened;
    this.#draft.heard += text;
    const begun = this.#beginAnswer(ts);
    const contentIndex = this.#draft.blocks.size;
    const delta = { type: "text_delta" as const, contentIndex, delta: text };
    return [
      ...opened,
      ...begun,
      { type: "message_update", message: this.#soFar(ts), assistantMessageEvent: delta },
    ];
  }

  #beginAnswer(ts: string): FamilyEvent[] {
    if (this.#draft.isTold) return [];
    this.#draft.isTold = true;
    return [{ type: "message_start", message: { ...this.#soFar(ts), content: [] } }];
  }

  #soFar(ts: string): AssistantMessage {
    const known = [...this.#draft.blocks].sort(([left], [right]) => left - right);
    const content: Content[] = known.map(([, block]) => shownBlock(block));
    const sure = content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("");
    const rest = this.#draft.heard.startsWith(sure) ? this.#draft.heard.slice(sure.length) : "";
    if (rest !== "") content.push({ type: "text", text: rest });
    return this.#message(content, "stop", ts);
  }

  #message(content: readonly Content[], stopReason: AssistantMessage["stopReason"], ts: string) {
    const said = {
      role: "assistant" as const,
      content,
      ...splitModel(this.#model),
      usage: shownUsage(undefined, 0),
    };
    return { ...said, stopReason, timestamp: Date.parse(ts) };
  }

  #callStarts(event: Event<"tool_call_start">): FamilyEvent[] {
    const { call_id: toolCallId, at, tool, input, ts } = event;
    const opened = this.#openTurn(event.turn);
    for (const { at: place, block } of event.preceding) this.#draft.blocks.set(place, block as Block);
    const call = { type: "call" as const, call_id: toolCallId, tool, input } as Block;
    if (!this.#answer) this.#draft.blocks.set(at, call);
    this.#calls.set(toolCallId, { tool, input });
    const begun = this.#answer ? [] : this.#beginAnswer(ts);
    return [...opened, ...begun, { type: "tool_execution_start", toolCallId, toolName: tool, args: input }];
  }

  #progress({ call_id, tool, message }: LiveEvent & { type: "tool_call_progress" }): FamilyEvent[] {
    const args = this.#calls.get(call_id)?.input ?? {};
    const partialResult = { content: textResult(message), details: {} };
    return [{ type: "tool_execution_update", toolCallId: call_id, toolName: tool, args, partialResult }];
  }

  #callEnds(event: Event<"tool_call_result">): FamilyEvent[] {
    const { call_id: toolCallId, tool: toolName, status, output, source, ts } = event;
    const isError = status !== "ok";
    const content = textResult(output);
    this.#results.push({
      ...{ role: "toolResult", toolCallId, toolName, content, isError },
      timestamp: Date.parse(ts),
    });
    const wasStarted = this.#calls.delete(toolCallId);
    // A call that was refused, or that was never begun, has a result and no execution.
    if (!wasStarted) return [];
    const result = { content, details: { status, source } };
    return [{ type: "tool_execution_end", toolCallId, toolName, result, isError }];
  }

  #answered(event: Event<"cognition_out">): FamilyEvent[] {
    const { content: slots, stop, truncated, usage, bill, ts, model = this.#model } = event;
    const opened = this.#openTurn(event.turn);
    const content = slots.flatMap((slot): Content[] => {
      const block = slot.type === "journaled" ? this.#draft.blocks.get(slot.at) : (slot as Block);
      return block ? [shownBlock(block)] : [];
    });
    const asks = content.some(({ type }) => type === "toolCall");
    const stopReason = truncated ? "aborted" : asks ? "toolUse" : stop === "max_tokens" ? "length" : "stop";
    const begun = this.#beginAnswer(ts);
    const message: AssistantMessage = {
      ...this.#message(content, stopReason, ts),
      ...splitModel(model),
      usage: shownUsage(usage, bill?.amount ?? 0),
    };
    this.#answer = message;
    this.#run.push(message);
    return [...opened, ...begun, { type: "message_end", message }];
  }

  #closeTurn(): FamilyEvent[] {
    if (!this.#isTurnOpen) return [];
    this.#isTurnOpen = false;
    const message = this.#answer;
    if (!message) return [];
    const asked = message.content.flatMap((each) => (each.type === "toolCall" ? [each.id] : []));
    const toolResults = [...this.#results].sort(
      (left, right) => asked.indexOf(left.toolCallId) - asked.indexOf(right.toolCallId),
    );
    this.#run.push(...toolResults);
    this.#clear();
    return [...toolResults.flatMap(whole), { type: "turn_end", message, toolResults }];
  }

  /** A request that failed is an answer with an error in it; nothing of it stays in the conversation. */
  #failed(event: Event<"error_classified">): FamilyEvent[] {
    const { error: errorMessage, usage, bill, ts, category } = event;
    const opened = this.#openTurn(event.turn);
    const stopReason = category === "cancelled" ? ("aborted" as const) : ("error" as const);
    const begun = this.#beginAnswer(ts);
    const message: AssistantMessage = {
      ...{ ...this.#soFar(ts), stopReason, errorMessage },
      ...splitModel(event.model),
      usage: shownUsage(usage, bill?.amount ?? 0),
    };
    this.#run.push(message);
    this.#isTurnOpen = false;
    this.#clear();
    return [
      ...opened,
      ...begun,
      { type: "message_end", message },
      { type: "turn_end", message, toolResults: [] },
    ];
  }

  #compacted(event: Event<"context_compaction_end">): FamilyEvent[] {
    const { summary = "", prune_before_turn = 0, tokens_before, tokens_after, failed } = event;
    const reason = REASONS[this.#compaction?.why ?? "pressure"];
    this.#compaction = undefined;
    const willRetry = reason === "overflow" && failed === undefined;
    const told = { type: "compaction_end" as const, reason, aborted: false, willRetry };
    if (failed !== undefined) return [{ ...told, result: null, errorMessage: failed }];
    const details = { tokensAfter: tokens_after };
    const firstKeptEntryId = `${event.thread_id}:${prune_before_turn}`;
    return [{ ...told, result: { summary, firstKeptEntryId, tokensBefore: tokens_before, details } }];
  }

  #end(willRetry: boolean): FamilyEvent[] {
    if (!this.#isGoing) return [];
    this.#isGoing = false;
    const closed = this.#closeTurn();
    const messages = this.#run;
    this.#run = [];
    return [...closed, { type: "agent_end", messages, willRetry }];
  }

  /** A suspension may be written again when what it waits for changes: that settles nothing anew. */
  #settle(status: string, { thread_id }: Event): FamilyEvent[] {
    const ended = this.#end(false);
    if (this.#settled === status) return ended;
    this.#settled = status;
    return [...ended, { type: "agent_settled", status, thread_id }];
  }
}

function whole(message: AgentMessage): FamilyEvent[] {
  return [
    { type: "message_start", message },
    { type: "message_end", message },
  ];
}
