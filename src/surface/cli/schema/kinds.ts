/** Every kind of answer that a program may get: one table, for `selvage schema`, for completion and for the tests. */
import * as z from "zod/mini";
import { EVENTS, type EventType } from "../../../core/event.ts";
import type { KindEntry } from "./entry.ts";
import { HOST_KINDS } from "./host-kinds.ts";
import { PROJECT_KINDS } from "./project-kinds.ts";
import { count, text, time } from "./scalars.ts";
import { step } from "./shapes.ts";
import { THREAD_KINDS } from "./thread-kinds.ts";

const DATA: Readonly<Record<string, KindEntry>> = { ...THREAD_KINDS, ...PROJECT_KINDS, ...HOST_KINDS };

/** What stands in the place of `data` when a command could not do its job; and what goes before the last record. */
const OTHERS: Readonly<Record<string, { readonly about: string; readonly whole: () => z.ZodMiniType }>> = {
  error: { about: "a command that could not do its job", whole: failure },
  "demo.line": { about: "one line of the demo, as it is told", whole: demoLine },
  "service.line": { about: "one line of what systemd kept", whole: serviceLine },
  event: { about: "one line of a stream: a fact of a journal", whole: streamed },
};

export const KINDS: readonly string[] = [...Object.keys(DATA), ...Object.keys(OTHERS)].sort();

export function kindAbout(kind: string): string {
  return DATA[kind]?.about ?? OTHERS[kind]?.about ?? "";
}

/** The whole record; undefined: there is no such kind. */
function recordOf(kind: string): z.ZodMiniType | undefined {
  const other = Object.hasOwn(OTHERS, kind) ? OTHERS[kind] : undefined;
  if (other) return other.whole();
  const entry = Object.hasOwn(DATA, kind) ? DATA[kind] : undefined;
  if (!entry) return undefined;
  return z.object({
    v: z.literal(1),
    kind: z.literal(kind),
    ok: z.boolean(),
    exit: count,
    data: entry.data(),
    warnings: z.array(text),
  });
}

function failure(): z.ZodMiniType {
  return z.object({
    v: z.literal(1),
    kind: z.literal("error"),
    ok: z.literal(false),
    exit: count,
    error: z.object({
      code: z.string().check(z.regex(/^E_[A-Z_]+$/)),
      what: text,
      why: z.nullable(text),
      next: z.array(step),
      thread_id: z.optional(text),
      docs: text,
    }),
    warnings: z.array(text),
  });
}

function demoLine(): z.ZodMiniType {
  return z.object({ v: z.literal(1), kind: z.literal("demo.line"), at_s: z.nullable(count), text });
}

function serviceLine(): z.ZodMiniType {
  return z.object({ kind: z.literal("service.line"), line: text });
}

/** Text as it streams has no `seq`; in a feed each fact has its place there. */
function streamed(): z.ZodMiniType {
  const types = Object.keys(EVENTS) as EventType[];
  const about = {
    v: z.literal(1),
    seq: z.optional(count),
    ts: time,
    thread_id: text,
    cursor: z.optional(count),
  };
  const all = types.map((type) =>
    z.object({ ...about, type: z.literal(type), ...EVENTS[type].fields.shape }),
  );
  return z.union(all as unknown as [z.ZodMiniType, ...z.ZodMiniType[]]);
}

/** JSON Schema as readers need it: fields may be added within `v: 1`. `closed`: none that is not named, for our tests. */
export function jsonSchemaOf(kind: string, how: "open" | "closed" = "open"): unknown {
  const record = recordOf(kind);
  return (
    record &&
    z.toJSONSchema(record, { io: how === "open" ? "input" : "output", unrepresentable: "any", reused: "ref" })
  );
}
