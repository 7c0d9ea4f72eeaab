/** Our own commands: threads, questions, money and recovery, under the names that tools and events have. */
import * as z from "zod/mini";
import { declared, flag, limits, maybe, message, threadId, whatever } from "./declared.ts";

const seconds = z.number().check(z.nonnegative(), z.maximum(86_400 * 30));
const count = z.int().check(z.minimum(1), z.maximum(10_000));
const ofSession = maybe(threadId, "Without it, the thread of the session.");
const long = { isLong: true };

export const OWN_COMMANDS = {
  hello: declared("Versions, the project, and every command there is.", {}),
  ping: declared("Is answered.", {}),
  shutdown: declared("Stops hosting where nothing is lost, and ends.", {}),
  thread_tool: declared(
    "Starts a directive of the project; with `wait`, is answered when it has come to rest.",
    {
      directive: z.string().check(z.minLength(1), z.maxLength(200)),
      inputs: maybe(z.record(z.string(), whatever)),
      limits: maybe(limits),
      model: maybe(z.string()),
      wait: maybe(flag),
    },
    long,
  ),
  wait_threads: declared(
    "Waits until threads have come to rest: ended, or waiting for a person.",
    {
      thread_ids: z.array(threadId).check(z.minLength(1), z.maxLength(1_000)),
      timeout: maybe(seconds, "Seconds; 600 when nobody says, 0 for none."),
      require: maybe(count, "So many must complete; all when nobody says."),
      fail_fast: maybe(flag, "At the first that did not complete."),
      cancel_siblings_on_failure: maybe(flag, "Those still under way are stopped then."),
    },
    long,
  ),
  resume_thread: declared("Lets a suspended thread go on; with a message, one that has ended too.", {
    thread_id: threadId,
    action: maybe(z.enum(["resume", "bump_and_resume", "cancel"])),
    new_limits: maybe(limits),
    message: maybe(message),
  }),
  cancel_thread: declared("Stops a thread and everyone below it.", {
    thread_id: threadId,
    reason: maybe(z.string().check(z.maxLength(1_000))),
  }),
  send: declared("Says something to any thread.", {
    thread_id: threadId,
    message,
    after: maybe(z.literal("end"), "`end`: it is read when the thread would end."),
  }),
  get_thread: declared("A thread as every command shows it.", { thread_id: threadId }),
  list_threads: declared("The newest first.", {
    statuses: maybe(z.array(z.string())),
    root_id: maybe(threadId, "Only the tree that this thread is in."),
    limit: maybe(count, "100 when nobody says."),
  }),
  get_chain: declared("The threads in which one piece of work went on.", { thread_id: ofSession }),
  chain_search: declared("Where in a chain something was said, the newest first.", {
    thread_id: ofSession,
    query: z.string().check(z.minLength(1), z.maxLength(1_000)),
    search_type: maybe(z.enum(["text", "regex"])),
    limit: maybe(count, "50 when nobody says."),
  }),
  retry_now: declared("Ends a wait for another try: the model is asked at once.", { thread_id: ofSession }),
  list_approvals: declared("Questions to people, the oldest first.", {
    states: maybe(z.array(z.enum(["open", "decided", "void"])), "Open ones when nobody says."),
  }),
  decide_approval: declared(
    "The one answer to a question. What was proposed holds where no limits are given.",
    {
      approval_id: z.string().check(z.minLength(1), z.maxLength(100)),
      approved: flag,
      message: maybe(z.string()),
      new_limits: maybe(limits),
    },
  ),
  get_budget: declared("Limits against use, and what is held.", { thread_id: ofSession }),
  set_limits: declared(
    "Changes limits of a thread that lives, ahead of time.",
    { thread_id: ofSession, set: maybe(limits), add: maybe(limits) },
    long,
  ),
  orphan_scan: declared("Threads that nobody runs, and what recovery would do about each.", {}),
  recover: declared("Takes them up again, or ends them.", {
    thread_ids: maybe(z.array(threadId), "All of them when nobody says."),
    action: maybe(z.enum(["resume", "mark_error", "mark_cancelled"])),
  }),
  managed_subprocess: declared(
    "Looks at, or stops, a process that a thread keeps. To start one is for threads alone.",
    {
      action: z.enum(["list", "status", "logs", "stop"]),
      handle_id: maybe(z.string(), "For all but `list`."),
      tail: maybe(count, "Lines; 50 when nobody says."),
    },
    long,
  ),
  subscribe: declared("From now on, or from a place on, events as they stand in the journals.", {
    from: maybe(z.int().check(z.nonnegative()), "Everything after this cursor; 0 is the beginning."),
    threads: maybe(z.array(threadId), "Only of these, and what they go on in."),
    types: maybe(z.array(z.string()), "Only of these types."),
  }),
  unsubscribe: declared("No more of them.", { subscription: z.string() }),
} as const;
