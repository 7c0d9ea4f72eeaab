/** The journals of the demo's tree, told as a story: each event once, with the money as it was at that event. */
import { basename } from "node:path";
import type { Event } from "../../../core/event.ts";
import { showShort } from "../../../core/money.ts";
import { oneLine } from "../../../core/text.ts";
import { limitKey } from "../limit-text.ts";
import { counted } from "../moment.ts";
import { row } from "./line.ts";
import type { Money } from "./money.ts";

interface Voice {
  tell(text: string): void;
  act(name: string, ok: boolean): void;
  /** What a process said last. */
  saidBy(process: { readonly handle: string; readonly chainRootId: string }): string;
}

interface Call {
  readonly turn: number;
  readonly tool: string;
  readonly input: unknown;
}

/** The children that one turn started. */
interface Wave {
  readonly name: string;
  readonly parent: string;
  readonly turn: number;
  readonly isInline: boolean;
  readonly members: string[];
  readonly open: Set<string>;
  isGood: boolean;
}

export class Narration {
  readonly #voice: Voice;
  readonly #money: Money;
  readonly #names = new Map<string, string>();
  readonly #calls = new Map<string, Call>();
  readonly #errors = new Map<string, string>();
  readonly #programs = new Map<string, string>();
  readonly #waves: Wave[] = [];
  /** A wave is told when the turn that starts it is paid for: until then its money is not known to the end. */
  #beginning: Wave | undefined;
  #kept: (() => void)[] = [];

  constructor(voice: Voice, money: Money) {
    this.#voice = voice;
    this.#money = money;
  }

  hear(event: Event): void {
    this.#money.note(event);
    const wave = this.#beginning;
    if (wave && event.type === "cognition_out" && event.thread_id === wave.parent && event.turn === wave.turn)
      this.#tellWave(wave);
    this.#remember(event);
    this.#narrate(event);
  }

  #remember(event: Event): void {
    if (event.type === "thread_created") this.#names.set(event.thread_id, event.directive);
    if (event.type === "tool_call_start") this.#calls.set(event.call_id, event);
    if (event.type === "child_thread_started") this.#childStarted(event);
    if (event.type === "error_classified")
      this.#errors.set(event.thread_id, oneLine(`${event.status ?? ""} ${event.error}`.trim(), 18));
  }

  #narrate(event: Event): void {
    const name = this.#names.get(event.thread_id) ?? event.thread_id;
    switch (event.type) {
      case "thread_created":
        if (event.parent_id === null)
          this.#tell(row("●", name, "", `budget ${showShort(this.#money.cap(event.thread_id))}`));
        return;
      case "auto_retry_start":
        return this.#tell(row("↻", name, this.#errors.get(event.thread_id) ?? "", retryText(event)));
      case "retry_succeeded":
        this.#tell(row("●", name, `back after ${counted(event.attempt - 1, "retry", "retries")}`));
        return this.#voice.act("retry", true);
      case "approval_requested":
        return this.#tell(row("‖", name, limitName(event), limitUse(event)));
      case "budget_changed":
        if (event.refused === undefined && event.limits["spend"] !== undefined)
          this.#tell(row("●", name, "goes on", `limit now ${dollars(event.limits["spend"])}`));
        return;
      case "crash_recovered":
        return this.#tell(row("●", name, "running again", this.#recoveredText(event)));
      case "thread_completed":
      case "thread_failed":
      case "thread_cancelled":
        return this.#ended(event, name);
      default:
        return this.#narrateBelow(event);
    }
  }

  #narrateBelow(event: Event): void {
    switch (event.type) {
      case "child_thread_completed":
        return this.#childEnded(event, "✓", true);
      case "child_thread_failed":
        // What a person said no to has ended as it should.
        return this.#childEnded(event, event.status === "error" ? "✗" : "⊘", event.status !== "error");
      case "process_started":
        if (!event.ready) return;
        this.#programs.set(event.handle_id, programName(event));
        return this.#processReady(event);
      case "process_stopped":
        return this.#tell(row("·", this.#programs.get(event.handle_id) ?? event.handle_id, "", event.why));
    }
  }

  #childStarted({ thread_id: parent, child_id, call_id }: Event<"child_thread_started">): void {
    const call = call_id === null ? undefined : this.#calls.get(call_id);
    if (!call) return;
    const { turn } = call;
    const isInline = (call.input as { wait?: unknown } | null)?.wait === true;
    let wave = this.#waves.find((each) => each.parent === parent && each.turn === turn);
    if (!wave) {
      const number = this.#waves.filter((each) => !each.isInline).length + 1;
      const name = isInline ? "scaffold" : `wave ${number}`;
      wave = { name, parent, turn, isInline, members: [], open: new Set(), isGood: true };
      this.#waves.push(wave);
      if (!isInline) this.#beginning = wave;
    }
    wave.members.push(child_id);
    wave.open.add(child_id);
  }

  #tellWave(wave: Wave): void {
    this.#beginning = undefined;
    wave.members.forEach((id, index) => {
      const isLast = index === wave.members.length - 1;
      const free = isLast ? `   free ${showShort(this.#money.free(wave.parent))}` : "";
      const reserved = `reserved ${showShort(this.#money.cap(id))}${free}`;
      this.#voice.tell(row("●", this.#names.get(id) ?? id, wave.name, reserved));
    });
    for (const tell of this.#kept.splice(0)) tell();
  }

  #childEnded(
    event: Event<"child_thread_completed" | "child_thread_failed">,
    sign: string,
    ok: boolean,
  ): void {
    const { child_id: id, directive, cost } = event;
    const wave = this.#waves.find(({ members }) => members.includes(id));
    const returned = showShort(Math.max(0, this.#money.cap(id) - cost.spent));
    const rest = wave?.isInline ? `turn ${wave.turn}, in line` : `returned ${returned} to the parent`;
    this.#tell(row(sign, directive, "", `${showShort(cost.spent)}   ${rest}`));
    if (!wave) return;
    wave.open.delete(id);
    wave.isGood &&= ok;
    if (wave.open.size === 0) this.#voice.act(wave.name, wave.isGood);
  }

  #processReady({ handle_id: handle, thread_id }: Event<"process_started">): void {
    const said = oneLine(this.#voice.saidBy({ handle, chainRootId: thread_id }), 40);
    this.#tell(row("●", this.#programs.get(handle) ?? handle, "", `${said} (managed process)`));
    this.#voice.act("server", true);
  }

  /** Children are told where their parent hears of it. */
  #ended(event: Event<"thread_completed" | "thread_failed" | "thread_cancelled">, name: string): void {
    const { thread_id: id } = event;
    if (this.#waves.some(({ members }) => members.includes(id))) return;
    const spent = this.#money.spent(id);
    const own = this.#money.own(id);
    const sign = event.type === "thread_completed" ? "✓" : event.type === "thread_failed" ? "✗" : "⊘";
    const sums = `(own ${showShort(own)}, children ${showShort(spent - own)})`;
    this.#tell(row(sign, name, "", `${showShort(spent)} of ${showShort(this.#money.cap(id))}   ${sums}`));
  }

  #recoveredText({ decisions, model_call_again }: Event<"crash_recovered">): string {
    const calls = decisions.map(({ call_id, tool, decision }) => {
      const { path } = (this.#calls.get(call_id)?.input ?? {}) as { path?: unknown };
      return `${[tool, path].filter(Boolean).join(" ")} ${DECISIONS[decision] ?? decision}`;
    });
    return [...calls, ...(model_call_again ? ["the model is asked again"] : [])].join(", ");
  }

  #tell(text: string): void {
    if (this.#beginning) this.#kept.push(() => this.#voice.tell(text));
    else this.#voice.tell(text);
  }
}

const DECISIONS: Readonly<Record<string, string>> = { rerun: "runs again" };

/** `Retrying (1/3) in 2s…` */
function retryText({ attempt, maxAttempts, delayMs }: Event<"auto_retry_start">): string {
  return `Retrying (${attempt}/${maxAttempts}) in ${Number((delayMs / 1000).toFixed(1))}s…`;
}

function limitName({ limit_code, reason }: Event<"approval_requested">): string {
  return limit_code === undefined ? reason : `${limitKey(limit_code)} limit`;
}

function limitUse({ limit_code, current, current_max }: Event<"approval_requested">): string {
  if (current === undefined || current_max === undefined) return "";
  return limit_code === "spend_exceeded"
    ? `${dollars(current)} of ${dollars(current_max)}`
    : `${current} of ${current_max}`;
}

export function dollars(value: number | string): string {
  return `$${Number(value).toFixed(2)}`;
}

/** `node dev-server.mjs`, wherever both of them lie. */
function programName({ command, args }: Event<"process_started">): string {
  return oneLine([command, ...args].map((part) => basename(part)).join(" "), 30);
}
