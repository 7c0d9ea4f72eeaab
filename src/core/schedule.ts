/**
 * When a scheduled prompt is due: once, or by a cron expression of five fields (lists, ranges, steps, names). Pure: the time is
 * handed in. Wall time is UTC unless a zone is named; an hour that a zone leaves out is caught up an hour later, one that it has twice
 * counts once.
 */

export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** With both said, a day that fits one of them is enough. */
  readonly isEither: boolean;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: readonly Field[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day", least: 1, most: 31 },
  { name: "month", least: 1, most: 12, words: MONTHS },
  { name: "weekday", least: 0, most: 7, words: WEEKDAYS },
];

export function parseCron(text: string): { readonly cron: Cron } | { readonly why: string } {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length)
    return { why: `expected five fields (minute hour day month weekday), not ${parts.length}` };
  const read = FIELDS.map((field, at) => valuesIn(parts[at] ?? "", field));
  const wrong = read.find((each) => "why" in each);
  if (wrong && "why" in wrong) return wrong;
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = read.map((each) =>
    "values" in each ? each.values : [],
  );
  const cron: Cron = {
    ...{ minutes, hours, days: new Set(days), months: new Set(months) },
    weekdays: new Set(weekdays.map((day) => day % 7)),
    isEither: !parts[2]?.startsWith("*") && !parts[4]?.startsWith("*"),
  };
  // The 31st of February, say.
  return nextDue(cron, Date.UTC(2000, 0, 1)) === undefined ? { why: "no day ever fits it" } : { cron };
}

function valuesIn(text: string, field: Field): { readonly values: number[] } | { readonly why: string } {
  const found = new Set<number>();
  for (const item of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(item) ?? [];
    const bounds = boundsIn(range, field, step !== undefined);
    const by = step === undefined ? 1 : Number(step);
    if (!bounds || by === 0 || bounds.from > bounds.to) {
      const { name, least, most } = field;
      return {
        why: `${name}: expected *, numbers from ${least} to ${most}, ranges (1-5), lists (1,3) or steps (*/5), not "${item.slice(0, 40)}"`,
      };
    }
    for (let value = bounds.from; value <= bounds.to; value += by) found.add(value);
  }
  return { values: [...found].sort((left, right) => left - right) };
}

/** `5/15` means from 5 on. */
function boundsIn(range: string, field: Field, hasStep: boolean): { from: number; to: number } | undefined {
  if (range === "*") return { from: field.least, to: field.most };
  const [, first = "", second] = /^([a-z\d]{1,4})(?:-([a-z\d]{1,4}))?$/i.exec(range) ?? [];
  const from = numberIn(first, field);
  const to = second === undefined ? (hasStep ? field.most : from) : numberIn(second, field);
  return from === undefined || to === undefined ? undefined : { from, to };
}

function numberIn(text: string, { least, most, words }: Field): number | undefined {
  const word = words?.indexOf(text.toLowerCase()) ?? -1;
  const value = word >= 0 ? word + least : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

const DAY = 86_400_000;
/** A 29th of February on one weekday may take forty years to come again. */
const MOST_DAYS = 366 * 41;

/** The first moment after `after`; undefined: there is none. */
export function nextDue(cron: Cron, after: number, zone = "UTC"): number | undefined {
  const start = Math.floor((after + offsetAt(after, zone)) / DAY) * DAY;
  for (let day = 0; day < MOST_DAYS; day += 1) {
    const midnight = start + day * DAY;
    if (!fitsDay(cron, midnight)) continue;
    const due = firstOf(cron, midnight, after, zone);
    if (due !== undefined) return due;
  }
  return undefined;
}

/** `midnight` and all that is reckoned from it: wall time, as if it were UTC. */
function fitsDay({ days, months, weekdays, isEither }: Cron, midnight: number): boolean {
  const date = new Date(midnight);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const fits = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return isEither ? fits.includes(true) : !fits.includes(false);
}

function firstOf(
  { hours, minutes }: Cron,
  midnight: number,
  after: number,
  zone: string,
): number | undefined {
  const before = offsetAt(midnight - DAY, zone);
  const behind = offsetAt(midnight + 2 * DAY, zone);
  let first: number | undefined;
  for (const hour of hours) {
    for (const minute of minutes) {
      const wall = midnight + hour * 3_600_000 + minute * 60_000;
      const at = before === behind ? wall - before : instantOf(wall, before, behind, zone);
      if (at <= after) continue;
      // On a day with one offset, the first that fits is the earliest.
      if (before === behind) return at;
      first = first === undefined ? at : Math.min(first, at);
    }
  }
  return first;
}

/** Near a change of offset: the earlier of two, and for none the one that the old offset makes of it. */
function instantOf(wall: number, before: number, behind: number, zone: string): number {
  const fitting = [wall - before, wall - behind].filter((at) => at + offsetAt(at, zone) === wall);
  return fitting.length > 0 ? Math.min(...fitting) : wall - before;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const parts = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  } as const;
  const clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...parts });
  clocks.set(zone, clock);
  return clock;
}

/** What wall time is ahead of UTC, in milliseconds. */
function offsetAt(at: number, zone: string): number {
  if (zone === "UTC") return 0;
  const whole = Math.floor(at / 1_000) * 1_000;
  const shown = Object.fromEntries(
    clockOf(zone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}

export function isZone(text: string): boolean {
  try {
    clockOf(text);
    return true;
  } catch {
    // Its only failure: nobody knows such a zone.
    return false;
  }
}

/** `2026-11-20T09:00`, with `Z` or an offset; without, in the zone. Undefined: it is no such time. */
export function onceAt(text: string, zone = "UTC"): number | undefined {
  const [, wall, offset] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  if (wall === undefined) return undefined;
  const at = Date.parse(`${wall}${offset ?? "Z"}`);
  // The 30th of February becomes the 2nd of March with some parsers.
  const isReal = !Number.isNaN(at) && new Date(Date.parse(`${wall}Z`)).toISOString().startsWith(wall);
  if (!isReal) return undefined;
  if (offset !== undefined) return at;
  return instantOf(at, offsetAt(at - DAY, zone), offsetAt(at + DAY, zone), zone);
}

export interface Scheduled {
  readonly cron?: string | undefined;
  readonly once?: string | undefined;
  readonly zone?: string | undefined;
}

/** When it is next due after that; undefined: never again. */
export function dueAfter({ cron, once, zone }: Scheduled, after: number): number | undefined {
  if (once !== undefined) {
    const at = onceAt(once, zone);
    return at !== undefined && at > after ? at : undefined;
  }
  const read = parseCron(cron ?? "");
  return "cron" in read ? nextDue(read.cron, after, zone) : undefined;
}
