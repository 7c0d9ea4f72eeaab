/** The children of a thread, and what it waits for, event by event. Outcomes are facts of its own journal (O4, O5). */
import { type Channels, reduceChannels } from "./channel.ts";
import type { Event, NewEvent } from "./event.ts";
import { type AskedHook, answersFor, askedHook } from "./hook-child.ts";
import { plus } from "./money.ts";
import type { SuspendReason } from "./suspension.ts";
import type { Thread } from "./thread.ts";
import { waitsForChildren } from "./waits-for.ts";

export type ChildStatus = "created" | "running" | "suspended" | "completed" | "error" | "cancelled";

export interface Child {
  readonly id: string;
  readonly directive: string;
  readonly status: ChildStatus;
  readonly text?: string;
  readonly outputs?: Readonly<Record<string, unknown>> | undefined;
  readonly error?: string;
  readonly reason?: SuspendReason;
  /** When it goes on by itself. */
  readonly resumesAt?: string | undefined;
  readonly cost?: Event<"child_thread_completed">["cost"];
  /** Of one that is no child of its own: the threads in between. */
  readonly above?: readonly string[];
  /** How often it was suspended, and how many of these a wait has told of. */
  readonly suspensions: number;
  readonly told: number;
  /** The moment and the hook that it answers for. */
  readonly answers?: string;
}

export interface Wait {
  /** Null: at the thread's own end. */
  readonly callId: string | null;
  readonly ids: readonly string[];
  /** How many must complete. */
  readonly require: number;
  readonly failFast: boolean;
  readonly cancelSiblings: boolean;
  readonly includeSuspended: boolean;
  readonly since: string;
  readonly until?: string | undefined;
  /** The hook whose answer it is for. */
  readonly hook?: string | undefined;
  /** The channel in which it waits for its turn, or for something new. */
  readonly channel?: string | undefined;
}

type End = NewEvent<"thread_failed" | "thread_cancelled">;

/** The part of a thread that is about others. */
export interface Family {
  readonly children: Readonly<Record<string, Child>>;
  /** Threads further down that a wait has named: it is told of them as of its children, and nothing follows from it. */
  readonly further: Readonly<Record<string, Child>>;
  /** Those that it is in. */
  readonly channels: Channels;
  readonly spawns: number;
  readonly wait?: Wait | undefined;
  /** A hook whose directive was started, until what it answered is written down. */
  readonly asked?: AskedHook | undefined;
  /** How it ends as soon as nobody below it lives. */
  readonly stopping?: End | undefined;
}

export const NO_FAMILY: Family = { children: {}, further: {}, channels: {}, spawns: 0 };

const LIVING: readonly ChildStatus[] = ["created", "running", "suspended"];

export function livingChildren({ children }: Pick<Family, "children">): Child[] {
  return Object.values(children).filter(({ status }) => LIVING.includes(status));
}

/** Nano-dollars of children that have ended, with everything below them. */
export function spentBelow({ children }: Pick<Family, "children">): number {
  return Object.values(children).reduce((sum, { cost }) => plus(sum, cost?.spent ?? 0), 0);
}

/** What a family is after an event; undefined when that is none of its business. */
export function reduceFamily(family: Family, event: Event): Partial<Family> | undefined {
  switch (event.type) {
    case "child_thread_started": {
      const { child_id: id, directive, start } = event;
      const status = start ? ("running" as const) : ("created" as const);
      const child = { id, directive, status, suspensions: 0, told: 0 };
      const asked = askedHook(event);
      // The runtime's own, and a hook's, are not the thread's: they do not count against what its model may start.
      if (asked) return { ...put(family, { ...child, answers: answersFor(asked) }), asked };
      return event.for ? put(family, child) : { ...put(family, child), spawns: family.spawns + 1 };
    }
    case "child_thread_completed": {
      const { text, cost, outputs } = event;
      return changed(family, event.child_id, { status: "completed", text, cost, outputs });
    }
    case "child_thread_failed": {
      const { status, text, cost, error } = event;
      return changed(family, event.child_id, { status, text, cost, error });
    }
    case "child_thread_suspended": {
      const suspensions = (family.children[event.child_id]?.suspensions ?? 0) + 1;
      const { reason, message: error, resumes_at: resumesAt } = event;
      const said = { status: "suspended" as const, reason, error, suspensions, resumesAt };
      return changed(family, event.child_id, said);
    }
    case "child_thread_resumed":
      return event.again
        ? revived(family, event.child_id)
        : changed(family, event.child_id, { status: "running" });
    case "wait_started":
      return { wait: waitOf(event), ...furtherOf(family, event) };
    case "descendant_reported":
      return reported(family, event);
    case "wait_finished": {
      const ids = family.wait?.callId && family.wait.channel === undefined ? family.wait.ids : [];
      const { children, further } = family;
      return { wait: undefined, children: allTold(children, ids), further: allTold(further, ids) };
    }
    case "thread_stopping":
      return { stopping: event.end, wait: undefined };
    case "channel_joined":
    case "channel_posted":
    case "channel_left":
    case "channel_read":
    case "channel_heard":
      return { channels: reduceChannels(family.channels, event) };
    default:
      return undefined;
  }
}

function waitOf(event: Event<"wait_started">): Wait {
  return {
    callId: event.call_id,
    ids: event.thread_ids,
    require: event.require,
    failFast: event.fail_fast,
    cancelSiblings: event.cancel_siblings_on_failure,
    includeSuspended: event.include_suspended,
    since: event.since ?? event.ts,
    until: event.until,
    hook: event.hook,
    channel: event.channel,
  };
}

function put({ children }: Family, child: Child): Pick<Family, "children"> {
  return { children: { ...children, [child.id]: child } };
}

/** A child that ended stays as it ended; of one that nobody started here nothing is known. */
function changed(family: Family, id: string, more: Partial<Child>): Partial<Family> {
  const child = Object.hasOwn(family.children, id) ? family.children[id] : undefined;
  return child && LIVING.includes(child.status) ? put(family, { ...child, ...more }) : {};
}

/** One that had ended lives again: it reports once more when it ends, and to no wait from before. */
function revived(family: Family, id: string): Partial<Family> {
  const child = Object.hasOwn(family.children, id) ? family.children[id] : undefined;
  if (!child) return {};
  const { directive, suspensions } = child;
  return put(family, { id, directive, status: "running", suspensions, told: suspensions });
}

/** Until they say more, those that it did not know of are taken to be at work. */
function furtherOf({ further }: Family, event: Event<"wait_started">): Partial<Family> {
  const fresh = (event.further ?? []).filter(({ id }) => !Object.hasOwn(further, id));
  if (fresh.length === 0) return {};
  const known = fresh.map((each) => [
    each.id,
    { ...each, status: "running" as const, suspensions: 0, told: 0 },
  ]);
  return { further: { ...further, ...Object.fromEntries(known) } };
}

/** One that ended stays as it ended; nobody is told of who was never named. */
function reported({ further }: Family, event: Event<"descendant_reported">): Partial<Family> {
  const { descendant_id: id, status, text, outputs, error, reason, resumes_at: resumesAt, cost } = event;
  const known = Object.hasOwn(further, id) ? further[id] : undefined;
  if (!known || !LIVING.includes(known.status)) return {};
  const suspensions = known.suspensions + (status === "suspended" ? 1 : 0);
  const said = {
    ...(text === undefined ? {} : { text }),
    ...(error === undefined ? {} : { error }),
    ...(reason === undefined ? {} : { reason }),
    ...(cost === undefined ? {} : { cost }),
  };
  return { further: { ...further, [id]: { ...known, ...said, status, outputs, resumesAt, suspensions } } };
}

/** A wait that is over has told of every suspension of those it was for; one at the thread's own end tells nobody. */
function allTold(known: Family["children"], ids: readonly string[]): Family["children"] {
  return Object.fromEntries(
    Object.entries(known).map(([id, child]) => [
      id,
      ids.includes(id) ? { ...child, told: child.suspensions } : child,
    ]),
  );
}

/** Children, and what it waits for on their account. What is left says nothing of the thread's state. */
export function aboutChildren(
  thread: Family,
  event: Event,
): (Partial<Family> & Pick<Thread, "waitsFor">) | undefined {
  const family = reduceFamily(thread, event);
  const isForNotes = event.type === "child_thread_started" && event.for !== undefined;
  if (event.type === "wait_started" || event.type === "thread_stopping" || isForNotes)
    return { ...family, waitsFor: waitsForChildren(event) };
  return event.type === "wait_finished" ? { ...family, waitsFor: undefined } : family;
}
