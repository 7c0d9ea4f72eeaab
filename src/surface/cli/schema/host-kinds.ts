/** What commands about hosting print, and what is told before anything is started. */
import * as z from "zod/mini";
import type { KindEntry } from "./entry.ts";
import { anything, count, counts, limits, maybe, money, text, texts, time } from "./scalars.ts";

/** Who hosts the project: `selvage serve`, or a program that has it open. */
export const hostShape = {
  pid: maybe(count),
  boot: maybe(text),
  kind: z.enum(["serve", "program"]),
  since: maybe(time),
  version: maybe(text),
  chat: maybe(texts),
};

const service = () =>
  z.object({
    unit: text,
    path: text,
    scope: z.optional(text),
    chat: z.optional(maybe(texts)),
    text: z.optional(text),
    installed: z.optional(z.boolean()),
    removed: z.optional(z.boolean()),
  });

export const HOST_KINDS = {
  serve: {
    about: "selvage serve, when it ends; `live` is null when it left at once",
    data: () => z.object({ pid: count, since: time, live: maybe(count) }),
  },
  "serve.stop": { about: "selvage serve --stop", data: () => z.object({ stopped: maybe(text) }) },
  rpc: { about: "selvage rpc: its own protocol is all that it prints", data: () => z.object({}) },
  service: { about: "selvage service install, remove", data: service },
  "service.logs": { about: "selvage service logs", data: () => z.object({ unit: text, lines: texts }) },
  "service.status": {
    about: "selvage service status",
    data: () =>
      z.object({
        ...{ unit: text, active: z.boolean(), state: text, since: maybe(time), restarts: count },
        ...{ last_exit: maybe(text), pid: maybe(count), counts, spend_today: money },
        chat: maybe(texts),
      }),
  },
  "run.forecast": {
    about: "selvage run --dry-run",
    data: () =>
      z.object({
        ...{ directive: text, model: text, inputs: z.record(text, anything), limits },
        rights: z.object({ permissions: texts, ask: texts, delegates: texts }),
        tools: texts,
        hooks: z.array(z.object({ id: text, event: text })),
        // A tree of the same shape all the way down.
        tree: z.looseObject({ directive: text, spend: maybe(money), children: z.array(anything) }),
        at_most: maybe(money),
      }),
  },
} satisfies Record<string, KindEntry>;
