/**
 * Runs the calls of one answer, while it streams and after.
 *   D1. An intent is durable before its tool touches the world; all blocks before it are journaled with it.
 *   D2. Calls that share a lane run in order; at most the cap run at once.
 *   D3. Every call that runs ends in exactly one result, whatever the tool does.
 *   D4. Commits of one answer never overlap: they go through one chain.
 *   D5. A result waits at most 50 ms for company before it is written.
 */
import type { Batch } from "../core/commit.ts";
import type { NewEvent } from "../core/event.ts";
import { startable } from "../core/lane.ts";
import type { Block, RawBlock } from "../core/message.ts";
import { SPAWN_TOOL } from "../core/orchestration.ts";
import { wellFormed } from "../core/text.ts";
import type { Step } from "../core/thread.ts";
import type { ToolOutcome } from "../core/tool.ts";
import { type Active, record } from "./active.ts";
import { type Call, callFromFold, callFromStream, effectOf, performCall } from "./call.ts";
import { interrupt } from "./interrupting.ts";
import { planChild, prepareSpawn, shortOfMoney, spawned } from "./perform.ts";

export const COMPANY_MS = 50;

export class Dispatch {
  readonly #active: Active;
  readonly #turn: number;
  readonly #blocks: Block[];
  readonly #journaled: Set<number>;
  readonly #calls: Call[];
  /** Picked to run; the next commit takes all of them. */
  #ready: Call[] = [];
  #results: NewEvent[] = [];
  #idle: (() => void)[] = [];
  #chain: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();
  #accompanies = false;
  #gathers = false;
  #held = false;
  /** A cancel is open: nothing starts any more. */
  #refused = false;
  #broken: { readonly error: unknown } | undefined;

  constructor(active: Active, step: Step) {
    active.effects.signal.addEventListener("abort", this.#wake);
    this.#active = active;
    this.#turn = step.turn;
    this.#blocks = step.blocks.flatMap((block) => (block ? [block] : []));
    this.#journaled = new Set(this.#blocks.keys());
    this.#calls = step.calls.map((call) => callFromFold(active, call));
    this.#pump();
  }

  /** A block closed in the stream. */
  take(raw: RawBlock): void {
    const at = this.#blocks.length;
    if (raw.type !== "call") {
      this.#blocks.push(raw.type === "text" ? { ...raw, text: wellFormed(raw.text) } : raw);
      return;
    }
    const call = callFromStream(this.#active, this.#turn, { raw, at, index: this.#calls.length });
    this.#blocks.push(call.block);
    this.#calls.push(call);
    this.#pump();
  }

  /** No call starts from here on; resolves when no commit is under way. */
  async hold(): Promise<void> {
    this.#held = true;
    await this.#chain;
    this.#throwIfBroken();
  }

  release(): void {
    this.#held = false;
    this.#pump();
  }

  /** Whether anything of this answer was acted on. */
  acted(): boolean {
    return this.#journaled.size > 0;
  }

  /** Resolves when every call is done, or when none runs and none can start. */
  async drained(): Promise<void> {
    if (!this.#isDrained()) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#chain;
    this.#throwIfBroken();
  }

  /** The answer for the journal: what stands there already goes in as a reference, text always in full. */
  content(): NewEvent<"cognition_out">["content"] {
    return this.#blocks.map((block, at) =>
      this.#journaled.has(at) && block.type !== "text" ? { type: "journaled", at } : block,
    );
  }

  /** Results that are not written yet; whoever takes them writes them. */
  takeResults(): NewEvent[] {
    return this.#results.splice(0);
  }

  /** From now on somebody else writes the results, within the 50 ms they may wait; until `scatter`. */
  gather(): void {
    this.#gathers = true;
  }

  scatter(): void {
    this.#gathers = false;
  }

  /** The answer is dealt with. */
  close(): void {
    this.#closing.abort("closed"); // without a reason Node makes an error with a stack, which costs
    this.#active.effects.signal.removeEventListener("abort", this.#wake);
  }

  /** Runs a commit in its turn (D4). */
  inOrder<T>(commit: () => Promise<T>): Promise<T> {
    const next = this.#chain.then(() => {
      this.#throwIfBroken();
      return commit();
    });
    this.#chain = next.catch((error) => this.#break(error)).finally(() => this.#wake());
    return next;
  }

  #pump(): void {
    if (this.#held || this.#isStuck()) return;
    const cap = this.#active.world.settings.concurrency.max_parallel_calls;
    const ready = startable(this.#calls, cap).flatMap((index) => this.#calls[index] ?? []);
    if (ready.length === 0) return;
    for (const call of ready) call.state = "running";
    const births = ready.filter(isBirth);
    for (const call of births) this.#spawn(call).catch((error) => this.#break(error));
    const others = ready.filter((call) => !isBirth(call));
    this.#ready.push(...others);
    if (others.length > 0 && this.#ready.length === others.length)
      this.inOrder(() => this.#begin()).catch(() => {});
  }

  /** A child is there in the commit that says so, with its call and its result: no crash finds half of it (C7). */
  async #spawn(call: Call): Promise<void> {
    const spawning = await prepareSpawn(this.#active, call.given);
    await this.inOrder(async () => {
      const plan = planChild(this.#active, call.block.call_id, spawning);
      if ("later" in plan) {
        call.state = "deferred";
        return;
      }
      const { intents, covered } = this.#intents([call]);
      const landing = (outcome: ToolOutcome, more: Pick<Batch, "tail" | "births"> = {}) => {
        const tail = [...intents, ...(more.tail ?? []), this.#result(call, outcome, 0)];
        return record(this.#active, { ...more, events: this.takeResults(), tail });
      };
      const first =
        "refused" in plan
          ? await landing({ status: "error", output: plan.refused })
          : await landing(spawned(plan), { tail: [plan.started], births: [plan.birth] });
      const { tailLanded } = first.shortage ? await landing(shortOfMoney(first.shortage)) : first;
      this.#refused ||= !tailLanded;
      call.state = tailLanded ? "done" : "waiting";
      if (tailLanded) for (const at of covered) this.#journaled.add(at);
    });
    this.#pump();
    this.#wake();
  }

  async #begin(): Promise<void> {
    const ready = this.#ready.splice(0);
    const { intents, covered } = this.#intents(ready.filter((call) => !call.intended));
    if (intents.length > 0) {
      const { tailLanded } = await record(this.#active, { events: this.takeResults(), tail: intents });
      if (!tailLanded) {
        this.#refused = true;
        for (const call of ready) call.state = "waiting";
        return;
      }
    }
    for (const at of covered) this.#journaled.add(at);
    for (const call of ready) {
      call.intended = true;
      this.#run(call).catch((error) => this.#break(error));
    }
  }

  #intents(fresh: readonly Call[]): { intents: NewEvent[]; covered: Set<number> } {
    const covered = new Set<number>();
    const intents = fresh.map((call): NewEvent => {
      const preceding = this.#blocks.flatMap((block, at) =>
        at < call.at && !this.#journaled.has(at) && !covered.has(at) ? [{ at, block }] : [],
      );
      for (const { at } of preceding) covered.add(at);
      covered.add(call.at);
      const { call_id, tool, input, executes } = call.block;
      const how = { effect: effectOf(call), ...(executes ? { executes } : {}) };
      const said = { turn: this.#turn, call_id, at: call.at, tool, input };
      return { type: "tool_call_start", ...said, ...how, preceding };
    });
    return { intents, covered };
  }

  async #run(call: Call): Promise<void> {
    const { clock } = this.#active.world;
    const startedAt = clock.monotonic();
    const events: NewEvent[] = [];
    const outcome = await performCall(this.#active, this.#turn, call, {
      now: (event) =>
        this.inOrder(async () => {
          await record(this.#active, { events: [...this.takeResults(), event] });
        }),
      withResult: (event) => events.push(event),
    });
    this.#results.push(
      ...events,
      ...(outcome.facts ?? []),
      this.#result(call, outcome, clock.monotonic() - startedAt),
    );
    call.state = "done";
    this.#pump();
    this.#wake();
    await this.#accompany();
  }

  #result({ block }: Call, { status, output, killed }: ToolOutcome, tookMs: number): NewEvent {
    const { call_id, tool } = block;
    const said = { turn: this.#turn, call_id, tool, status, output: wellFormed(output) };
    const duration_ms = Math.max(0, Math.round(tookMs));
    const how = killed ? { killed } : {};
    return { type: "tool_call_result", ...said, source: "run", duration_ms, ...how };
  }

  async #accompany(): Promise<void> {
    if (this.#accompanies) return;
    this.#accompanies = true;
    await this.#active.world.clock.sleep(COMPANY_MS, this.#closing.signal);
    this.#accompanies = false;
    const taken = this.#gathers || this.#closing.signal.aborted;
    if (taken || this.#results.length === 0 || this.#broken) return;
    await this.inOrder(async () => {
      if (this.#results.length > 0) await record(this.#active, { events: this.takeResults() });
    });
  }

  /** Whether every call is done, or none runs and none can start. */
  get isDrained(): boolean {
    return this.#isDrained();
  }

  #isDrained(): boolean {
    if (this.#calls.some((call) => call.state === "running")) return false;
    return this.#isStuck() || startable(this.#calls, 1).length === 0;
  }

  /** Nothing starts any more: a cancel is open, a commit failed, or everything was told to stop. */
  #isStuck(): boolean {
    return this.#refused || this.#broken !== undefined || this.#active.effects.signal.aborted;
  }

  readonly #wake = (): void => {
    if (this.#isDrained()) for (const resolve of this.#idle.splice(0)) resolve();
  };

  #break(error: unknown): void {
    this.#broken ??= { error };
    interrupt(this.#active, error);
    for (const call of this.#calls) if (call.state === "running" && !call.intended) call.state = "waiting";
    this.#wake();
  }

  #throwIfBroken(): void {
    if (this.#broken) throw this.#broken.error;
  }
}

/** A call that starts a child, and may do so. */
function isBirth({ block, tool, inputError }: Call): boolean {
  return block.tool === SPAWN_TOOL && tool !== undefined && inputError === undefined;
}
