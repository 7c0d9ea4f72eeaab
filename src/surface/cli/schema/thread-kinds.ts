/** What commands about threads print. */
import * as z from "zod/mini";
import type { KindEntry } from "./entry.ts";
import { hostShape } from "./host-kinds.ts";
import { anything, count, counts, limits, maybe, money, text, texts, time } from "./scalars.ts";
import { approval, approvalShape, capabilities, correctable } from "./shapes.ts";
import { event, needs, process, status, thread, threadShape, view } from "./thread-shape.ts";

const costCounts = {
  tokens: count,
  input_tokens: count,
  output_tokens: count,
  unpriced_tokens: count,
  calls: count,
  cut_off: count,
  estimated: count,
};

/** A thread with what only some commands add. */
const result = () =>
  z.object({
    ...threadShape,
    needs_you: z.optional(z.array(needs)),
    inputs: z.optional(z.record(text, anything)),
    tools: z.optional(texts),
    children: z.optional(
      z.array(
        z.object({
          thread_id: text,
          directive: text,
          status: text,
          suspend_reason: maybe(text),
          error: maybe(text),
          cost: maybe(z.object({ turns: count, tokens: count, spend: money })),
        }),
      ),
    ),
    correctable: z.optional(z.array(correctable)),
    capabilities: z.optional(capabilities),
    network: z.optional(anything),
    /** What somebody said that let it go on, where that hosted it. */
    answer: z.optional(anything),
    in_flight: z.optional(z.array(z.object({ call_id: text, tool: text, effect: text }))),
    hooks: z.optional(z.array(z.looseObject({ hook: text, event: text, action: text, at: time }))),
    state: z.optional(z.record(text, anything)),
    files: z.optional(text),
    paths: z.optional(texts),
  });

const treeShape = {
  ...threadShape,
  retries: count,
  tree_spend: money,
  waves: z.array(
    z.object({ turn: count, joined_turn: maybe(count), is_joined: z.boolean(), members: texts }),
  ),
  below: count,
};
function tree(): z.ZodMiniType {
  const node: z.ZodMiniType = z.object({ ...treeShape, children: z.array(z.lazy(() => node)) });
  return node;
}

function listed(): z.ZodMiniType {
  const node: z.ZodMiniType = z.object({
    ...threadShape,
    children: z.optional(z.array(z.lazy(() => node))),
  });
  return node;
}

const tally = {
  cost: maybe(money),
  input_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  output_tokens: count,
  unpriced_tokens: count,
  requests: count,
  turns: count,
  retries: count,
  failures: counts,
  tool_calls: z.object({ calls: count, errors: count, error_rate: count, total_ms: count }),
  tools: z.record(text, counts),
  recoveries: count,
  hand_offs: count,
  waiting_for_people: z.object({ stops: count, ms: count }),
};

const costRow = () =>
  z.object({
    key: text,
    own: maybe(money),
    children: maybe(money),
    reserved: maybe(money),
    reserved_used: money,
    limit: maybe(money),
    ...costCounts,
    parent_id: z.optional(maybe(text)),
    depth: z.optional(count),
    directive: z.optional(text),
    model: z.optional(text),
    status: z.optional(status),
  });

const link = () =>
  z.object({
    thread_id: text,
    position: count,
    status,
    view,
    turns: count,
    why: maybe(z.enum(["context", "user"])),
    by: maybe(text),
    pressure: maybe(count),
    summary_tokens: maybe(count),
    trailing_messages: maybe(count),
    summary: z.optional(maybe(text)),
    message: maybe(text),
    created_at: time,
  });

export const THREAD_KINDS = {
  "thread.result": {
    about: "one thread, as far as it is; the last record of every stream about one",
    data: result,
  },
  "thread.list": {
    about: "selvage ps",
    data: () =>
      z.object({
        threads: z.array(listed()),
        counts,
        truncated: z.boolean(),
        host: maybe(z.object(hostShape)),
      }),
  },
  "thread.tree": { about: "selvage tree ID", data: tree },
  "thread.trees": { about: "selvage tree", data: () => z.object({ trees: z.array(tree()) }) },
  "thread.log": { about: "selvage logs", data: () => z.object({ thread_id: text, events: z.array(event) }) },
  events: {
    about: "selvage events; in a stream the events went before",
    data: () => z.object({ cursor: count, events: z.optional(z.array(event)) }),
  },
  chain: {
    about: "selvage chain",
    data: () =>
      z.object({
        threads: z.array(link()),
        chain_root_id: maybe(text),
        head: maybe(text),
        turns: count,
        spend: money,
      }),
  },
  search: {
    about: "selvage search",
    data: () =>
      z.object({
        hits: z.array(
          z.object({
            thread_id: text,
            chain_position: z.optional(count),
            seq: count,
            ts: time,
            type: text,
            turn: z.optional(count),
            tool: z.optional(text),
            field: text,
            snippet: text,
            spans: z.array(z.array(count)),
            matches: count,
          }),
        ),
        searched: z.object({ threads: count, events: count, unread: count }),
        more: z.boolean(),
        next: maybe(text),
        complete: z.boolean(),
        took_ms: count,
      }),
  },
  replay: {
    about: "selvage replay",
    data: () =>
      z.object({
        thread_id: text,
        events: count,
        total: count,
        divergences: z.array(
          z.object({
            seq: count,
            recorded: anything,
            now: anything,
            differences: z.array(anything),
            instead: maybe(text),
          }),
        ),
        parted: z.boolean(),
      }),
  },
  cost: {
    about: "selvage cost",
    data: () =>
      z.object({
        by: text,
        since: maybe(time),
        rows: z.array(costRow()),
        total: z.object({ own: money, reserved: maybe(money), ...costCounts }),
        models: z.array(z.object({ key: text, own: maybe(money), ...costCounts })),
        correctable: z.array(correctable),
        forecast: maybe(z.object({ turns: count, per_turn: money })),
      }),
  },
  stats: {
    about: "selvage stats",
    data: () =>
      z.object({
        by: text,
        since: maybe(time),
        root: maybe(text),
        complete: z.boolean(),
        rows: z.array(z.object({ key: text, threads: count, ...tally })),
        total: z.object(tally),
      }),
  },
  approvals: { about: "selvage approvals", data: () => z.object({ approvals: z.array(approval) }) },
  approval: {
    about: "selvage approve and selvage deny; the first question stands at the top as well",
    data: () => z.object({ ...approvalShape, approvals: z.array(approval), threads: z.array(thread) }),
  },
  budget: {
    about: "selvage budget",
    data: () =>
      z.object({
        thread_id: text,
        status,
        suspend_reason: maybe(text),
        limits,
        used: z.record(text, maybe(z.union([count, text]))),
        reserved: money,
        free: maybe(money),
        parent: maybe(text),
        parent_free: maybe(money),
        history: z.array(
          z.object({ at: time, by: text, from: limits, to: limits, refused: z.optional(anything) }),
        ),
        corrections: z.array(z.object({ at: time, by: text, hold: text, from: money, to: money })),
        correctable: z.array(correctable),
        outcome: z.optional(text),
      }),
  },
  retry: {
    about: "selvage retry",
    data: () =>
      z.object({
        thread_id: text,
        attempt: count,
        max: count,
        action: z.enum(["now", "stop"]),
        thread: z.optional(anything),
      }),
  },
  wait: {
    about: "selvage wait",
    data: () =>
      z.looseObject({
        success: z.boolean(),
        threads: z.record(text, z.looseObject({ status: text })),
        needs_you: z.array(needs),
      }),
  },
  cancel: {
    about: "selvage cancel",
    data: () =>
      z.object({
        requested: texts,
        cancelled: texts,
        waiting_on: z.array(z.object({ id: text, tool: maybe(text), since_s: count, timeout_s: count })),
        threads: z.array(z.object({ ...threadShape, report: z.array(z.looseObject({ outcome: text })) })),
      }),
  },
  recovery: {
    about: "selvage recover",
    data: () =>
      z.object({
        scanned: count,
        orphans: z.array(z.looseObject({ thread_id: text })),
        approvals: z.array(z.object({ thread_id: text, approval_id: text })),
        left_to_program: z.array(z.object({ thread_id: text, lacks: texts })),
        recovered: texts,
        processes_cleaned: count,
        threads: z.array(z.looseObject(threadShape)),
      }),
  },
  send: {
    about: "selvage send",
    data: () =>
      z.object({
        thread_id: text,
        position: count,
        turn: maybe(count),
        deliver_at: text,
        hosted: z.boolean(),
      }),
  },
  revoke: {
    about: "selvage revoke",
    data: () =>
      z.object({
        thread_id: text,
        revoked: texts,
        not_held: texts,
        applied: z.boolean(),
        in_flight: z.array(z.object({ call_id: text, tool: text })),
        capabilities,
        thread,
      }),
  },
  "explain.denial": {
    about: "selvage explain-denial",
    data: () =>
      z.looseObject({ thread_id: text, right: text, verdict: text, why: texts, next: z.array(anything) }),
  },
  "process.list": { about: "selvage proc ls", data: () => z.object({ processes: z.array(process) }) },
  "process.log": { about: "selvage proc logs", data: () => z.object({ process, lines: texts }) },
  "process.stopped": { about: "selvage proc stop", data: () => z.looseObject({ process }) },
  verify: {
    about: "selvage verify",
    data: () =>
      z.object({
        threads: count,
        events: count,
        findings: z.array(
          z.object({
            part: z.enum(["state", "ledger"]),
            thread_id: maybe(text),
            last_good: maybe(count),
            what: text,
          }),
        ),
      }),
  },
  export: { about: "selvage export --files", data: () => z.object({ threads: count, files: texts }) },
  "export.handed": {
    about: "selvage export --html, --md or --jsonl",
    data: () =>
      z.object({
        path: maybe(text),
        bytes: count,
        threads: count,
        masked: count,
        form: z.enum(["html", "md", "jsonl"]),
        content: z.optional(text),
      }),
  },
  prune: {
    about: "selvage prune",
    data: () =>
      z.object({
        would_delete: count,
        trees: count,
        bytes: count,
        kept_failed: count,
        kept_live: count,
        unexported: count,
        oldest_kept: maybe(time),
        ids: texts,
        deleted: count,
      }),
  },
} satisfies Record<string, KindEntry>;
