/** chat.yaml: what it may say, declared once with meaning, default and what a project may do to it. docs/chat-settings.md comes from here. */
import * as z from "zod/mini";
import { type ChatAccess, fewer, type People } from "./chat-access.ts";
import { lower, type Narrowing } from "./narrowing.ts";
import { isZone, onceAt, parseCron } from "./schedule.ts";
import { withoutShapes } from "./secret-shapes.ts";

interface Meaning {
  readonly meaning: string;
  readonly fallback: unknown;
  readonly narrows?: Narrowing | undefined;
}
const meanings = z.registry<Meaning>();
const key = <S extends z.ZodMiniType>(schema: S, meaning: string, fallback: unknown, narrows?: Narrowing) => {
  const optional = z.optional(schema);
  meanings.add(optional as z.ZodMiniType, { meaning, fallback, narrows });
  return optional;
};

/** What prompts speak as that come by themselves. */
export const SCHEDULE = "schedule";
const PLATFORM = "[a-z0-9][a-z0-9._-]*";
const platformName = z.string().check(
  z.regex(new RegExp(`^${PLATFORM}$`), "expected the name of a platform, such as slack"),
  z.refine((name) => name !== SCHEDULE, "it is what schedules speak as, and no platform"),
);
const address = z
  .string()
  .check(z.regex(new RegExp(`^${PLATFORM}:\\S+$`), "expected PLATFORM:CHAT, such as slack:C024BE91L"));
const principal = z.string().check(
  z.regex(new RegExp(`^${PLATFORM}:\\S+$`), "expected PLATFORM:PERSON, such as slack:U024BE7LH, or slack:*"),
  z.refine((name) => !name.startsWith(`${SCHEDULE}:`), "a schedule is nobody who could be allowed something"),
);
const people = z.union(
  [z.literal("everybody"), z.array(principal)],
  "expected everybody, or a list of PLATFORM:PERSON",
);
const variable = z
  .string()
  .check(
    z.regex(
      /^[A-Z_][A-Z0-9_]{0,100}$/,
      "expected the name of an environment variable; the token itself stays in it",
    ),
  );
const plainValue = z
  .union([z.string(), z.number(), z.boolean()], "expected text, a number, true or false")
  .check(
    z.refine(
      (value) =>
        typeof value !== "string" || (withoutShapes(value) === value && !/^(?:xox|xapp-)/.test(value)),
      "it looks like a token; put it into an environment variable and name that under env",
    ),
  );

const Platform = z.object({
  /** Another adapter than the one of its name. */
  adapter: z.optional(platformName),
  env: z._default(z.record(z.string(), variable), {}),
  options: z._default(z.record(z.string(), plainValue), {}),
});

const Channel = z.object({
  directive: z.optional(z.string()),
  hide_costs: z.optional(z.boolean()),
  progress: z.optional(z.boolean()),
});

const zone = z.string().check(z.refine(isZone, "expected a time zone, such as Europe/Oslo"));
const cronText = z.string().check((checked) => {
  const read = parseCron(checked.value);
  if ("why" in read) checked.issues.push({ code: "custom", message: read.why, input: checked.value });
});

const Schedule = z
  .object({
    id: z
      .string()
      .check(z.regex(/^[a-z0-9][a-z0-9._-]{0,60}$/, "expected lower-case letters, digits and . _ -")),
    place: address,
    prompt: z.string().check(z.minLength(1)),
    cron: z.optional(cronText),
    once: z.optional(z.string()),
    zone: z.optional(zone),
  })
  .check(
    z.refine(
      ({ cron, once }) => (cron === undefined) !== (once === undefined),
      "expected either cron or once",
    ),
    z.refine(
      ({ once, zone }) =>
        once === undefined || (zone !== undefined && !isZone(zone)) || onceAt(once, zone) !== undefined,
      "once: expected a time such as 2026-11-20T09:00 or 2026-11-20T09:00:00Z",
    ),
  );

const DEFAULT_PORT = 4780;

export const DEFAULT_TYPES = [
  ...["text/*", "image/*", "application/json", "application/pdf", "application/xml", "application/yaml"],
];

export const ChatFile = z.object({
  platforms: key(
    z.record(platformName, Platform),
    "By name, each with `env` (options of its adapter that come from environment variables, by the names of these), `options` (plain ones) and `adapter`, where that is not the name.",
    {},
  ),
  directive: key(
    z.string(),
    "What a chat runs; the project's own of this name, or the built-in one.",
    "chat",
  ),
  channels: key(
    z.record(address, Channel),
    "By PLATFORM:CHAT, what is otherwise there: `directive`, `hide_costs`, `progress`.",
    {},
  ),
  talk: key(people, "Who may talk with it, in a direct talk or by a mention.", "everybody", fewer),
  command: key(
    people,
    "Who may give commands that are no decisions. Default: who may talk.",
    "everybody",
    fewer,
  ),
  approve: key(people, "Who may approve and deny. At the terminal: who sits there.", [], fewer),
  hide_costs: key(z.boolean(), "No amounts of money in chats.", false),
  progress: key(z.boolean(), "A message that tells how far the work is.", true),
  idle_minutes: key(
    z.int().check(z.positive()),
    "A chat that was quiet this long is let go from memory; it comes back with its next message.",
    30,
  ),
  late_seconds: key(
    z.number().check(z.minimum(0)),
    "What a process sent that died may arrive so much later: before that it is not posted again. At the terminal nothing does.",
    60,
  ),
  port: key(
    z.int().check(z.minimum(1), z.maximum(65_535)),
    "Where `serve --chat` listens for what platforms send over HTTP, on this machine alone; `--chat-port` is over it.",
    DEFAULT_PORT,
  ),
  attachments: z.optional(
    z.object({
      max_mb: key(z.number().check(z.positive()), "Larger files are not read, and named.", 25, lower),
      types: key(
        z.array(z.string().check(z.regex(/^[\w.+-]+\/(?:\*|[\w.+-]+)$/, "expected a type such as image/*"))),
        "Of other types neither.",
        DEFAULT_TYPES,
      ),
    }),
  ),
  schedules: key(
    z.array(Schedule),
    "Prompts that come by themselves: `id`, `place` (PLATFORM:CHAT), `prompt`, and `cron` (five fields) or `once` (a time), in UTC or in a `zone`.",
    [],
  ),
});
export type ChatFile = z.infer<typeof ChatFile>;

export interface ChatSchedule {
  readonly id: string;
  readonly place: string;
  readonly prompt: string;
  readonly cron?: string | undefined;
  readonly once?: string | undefined;
  readonly zone?: string | undefined;
}

export interface ChatSettings extends ChatAccess {
  readonly platforms: Readonly<Record<string, z.infer<typeof Platform>>>;
  readonly directive: string;
  readonly channels: Readonly<Record<string, z.infer<typeof Channel>>>;
  readonly hide_costs: boolean;
  readonly progress: boolean;
  readonly idle_minutes: number;
  readonly late_seconds: number;
  readonly port: number;
  readonly attachments: { readonly max_mb: number; readonly types: readonly string[] };
  readonly schedules: readonly ChatSchedule[];
}

/** The layers, lowest first. Mappings are merged, and lists with an `id` by it. */
export function chatSettings(layers: readonly ChatFile[]): ChatSettings {
  const said = layers.reduce<ChatFile>(over, {});
  const talk: People = said.talk ?? "everybody";
  return {
    ...{ platforms: said.platforms ?? {}, channels: said.channels ?? {}, schedules: said.schedules ?? [] },
    ...{
      directive: said.directive ?? "chat",
      talk,
      command: said.command ?? talk,
      approve: said.approve ?? [],
    },
    ...{
      hide_costs: said.hide_costs ?? false,
      progress: said.progress ?? true,
      idle_minutes: said.idle_minutes ?? 30,
      late_seconds: said.late_seconds ?? 60,
      port: said.port ?? DEFAULT_PORT,
    },
    attachments: { max_mb: said.attachments?.max_mb ?? 25, types: said.attachments?.types ?? DEFAULT_TYPES },
  };
}

function over(below: ChatFile, above: ChatFile): ChatFile {
  return {
    ...{ ...below, ...above },
    platforms: merged(below.platforms, above.platforms, (low, high) => ({
      ...{ ...low, ...high, env: { ...low.env, ...high.env } },
      options: { ...low.options, ...high.options },
    })),
    channels: merged(below.channels, above.channels, (low, high) => ({ ...low, ...high })),
    attachments: { ...below.attachments, ...above.attachments },
    schedules: byId(below.schedules, above.schedules),
  };
}

function merged<T>(
  below: Readonly<Record<string, T>> | undefined,
  above: Readonly<Record<string, T>> | undefined,
  merge: (low: T, high: T) => T,
): Record<string, T> {
  const all: Record<string, T> = { ...below };
  for (const [name, value] of Object.entries(above ?? {})) {
    const low = Object.hasOwn(all, name) ? all[name] : undefined;
    all[name] = low === undefined ? value : merge(low, value);
  }
  return all;
}

function byId(
  below: readonly ChatSchedule[] = [],
  above: readonly ChatSchedule[] = [],
): ChatFile["schedules"] {
  const all = new Map(below.map((each) => [each.id, each]));
  for (const each of above) all.set(each.id, each);
  return [...all.values()];
}

/** What holds at one place. */
export function chatAt(
  settings: ChatSettings,
  place: string,
): { directive: string; hide_costs: boolean; progress: boolean } {
  const { directive, hide_costs, progress, channels } = settings;
  const here = Object.hasOwn(channels, place) ? channels[place] : undefined;
  return {
    directive: here?.directive ?? directive,
    hide_costs: here?.hide_costs ?? hide_costs,
    progress: here?.progress ?? progress,
  };
}

/** The keys, for docs and for who narrows. */
export function chatLines(): (Meaning & { readonly key: string })[] {
  const { attachments, ...plain } = ChatFile.shape;
  const inner = attachments.def.innerType.shape;
  return [
    ...Object.entries(plain).map(([name, schema]) => [name, schema] as const),
    ...Object.entries(inner).map(([name, schema]) => [`attachments.${name}`, schema] as const),
  ].map(([name, schema]) => ({ key: name, ...(meanings.get(schema) ?? { meaning: "", fallback: null }) }));
}
