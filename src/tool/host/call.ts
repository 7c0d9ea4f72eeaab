/** One request to a tool host, with all the ways in which it may not be answered. */
import type { ToolContext } from "../../core/tool.ts";
import type { GroupEnd } from "../process-group.ts";
import type { HostPool } from "./pool.ts";
import type { ToolHost } from "./process.ts";
import type { Reply, Request } from "./protocol.ts";

export interface Terms {
  readonly signal: AbortSignal;
  readonly network?: boolean;
  /** 0: as long as it takes. */
  readonly timeoutMs: number;
  /** What it may print meanwhile, which nobody keeps. */
  readonly maxOutputBytes: number;
  /** From the abort of its signal until it is killed. */
  readonly graceMs?: number;
  readonly onProgress?: ToolContext["progress"];
  readonly onOutput?: (text: string) => void;
}

type Attended =
  | { readonly type: "replied"; readonly reply: Reply }
  | { readonly type: "died"; readonly end: GroupEnd }
  | { readonly type: StopReason; readonly isKilled?: true };

export type CallEnd = Attended | { readonly type: "not_begun"; readonly why: Attended };

type StopReason = "timed_out" | "stopped" | "printed_too_much";

/** A module that takes longer than this to be loaded hangs. */
export const LOAD_TIMEOUT_MS = 10_000;
const GRACE_MS = 2_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Rejects only if it was aborted before a host was free. */
export function callHost(pool: HostPool, request: Request, terms: Terms): Promise<CallEnd> {
  return pool.use(async (host) => {
    const { file } = request;
    // Apart from the call, whose time begins when the tool's work does, and which cannot have begun if this fails.
    const loading = { ...terms, timeoutMs: LOAD_TIMEOUT_MS };
    if (request.type === "load" || host.loaded.has(file)) return attend(host, request, terms);
    const loaded = await attend(host, { type: "load", file }, loading);
    if (loaded.type !== "replied" || loaded.reply.type !== "loaded")
      return { type: "not_begun", why: loaded };
    host.loaded.add(file);
    return attend(host, request, terms);
  }, terms);
}

async function attend(host: ToolHost, request: Request, terms: Terms): Promise<Attended> {
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, then: () => void) =>
    timers.push(setTimeout(then, Math.min(ms, LONGEST_TIMER_MS)));
  let reason: StopReason | undefined;
  let printed = 0;
  const stop = (why: StopReason) => {
    if (reason) return;
    reason = why;
    host.abort();
    after(why === "printed_too_much" ? 0 : (terms.graceMs ?? GRACE_MS), () => host.end());
  };
  const onAbort = () => stop("stopped");
  if (terms.timeoutMs > 0) after(terms.timeoutMs, () => stop("timed_out"));
  terms.signal.addEventListener("abort", onAbort);
  const reply = await host.ask(request, {
    onProgress: (...said) => terms.onProgress?.(...said),
    onOutput: (text) => {
      printed += text.length;
      if (printed > terms.maxOutputBytes) stop("printed_too_much");
      else terms.onOutput?.(text);
    },
  });
  for (const timer of timers) clearTimeout(timer);
  terms.signal.removeEventListener("abort", onAbort);
  if (reason) {
    const end = await host.end(); // what it was told to stop may be running on (T3)
    const isKilled = !reply && "isKilled" in end && end.isKilled === true;
    return { type: reason, ...(isKilled && { isKilled: true }) };
  }
  return reply ? { type: "replied", reply } : { type: "died", end: await host.ended };
}
