/**
 * The same race with a provider that lies about what it did: the truth is what it said, stored as it is, flagged,
 * and a person is asked where it was above the hold (B2). Whatever it says, the books add up.
 */
import { expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { StandIn } from "../provider/stand-in.ts";
import { answer, answersIn, chance, type Reported, threadOf } from "./invoice.ts";
import { CHILDREN, Race, ROOT } from "./race.ts";

const seed = Number(process.env["SELVAGE_SEED"] ?? 1);
const KILLS = process.env["SELVAGE_CAMPAIGN"] === "1" ? 12 : 2;
const OUTPUT = 15_000;
const ABOVE = 40_000;

type Bill = NonNullable<Event<"cognition_out">["bill"]>;
type Hold = NonNullable<Event<"step_start">["hold"]>;

interface Lie {
  readonly name: string;
  readonly said: Reported;
  /** Whether what was booked for it is right. */
  readonly booked: (bill: Bill, hold: Hold) => boolean;
  /** Above the hold: the thread goes no further without a person. */
  readonly stops?: true;
}

const isGuess = ({ amount, estimated }: Bill) => estimated === true && amount > 0;
const LIES: readonly Lie[] = [
  { name: "the truth", said: { output_tokens: 10 }, booked: ({ amount }) => amount === 10 * OUTPUT },
  {
    ...{ name: "more than was held", stops: true, said: { output_tokens: ABOVE } },
    booked: ({ amount }, hold) => amount === ABOVE * OUTPUT && amount > hold.amount,
  },
  { name: "nothing", said: { output_tokens: 0 }, booked: ({ amount }) => amount === 0 },
  {
    ...{ name: "no usage at all", said: {} },
    booked: ({ amount, estimated }, hold) => estimated === true && amount === hold.amount,
  },
  { name: "less than nothing", said: { output_tokens: -5_000 }, booked: isGuess },
  { name: "a fraction", said: { output_tokens: 1.5 }, booked: isGuess },
  { name: "a word", said: { output_tokens: "12" }, booked: isGuess },
  {
    ...{ name: "more than there is", stops: true, said: { output_tokens: Number.MAX_SAFE_INTEGER } },
    booked: ({ amount }, hold) => amount > 1_000 * hold.amount,
  },
];

function lieOf(thread: string): Lie | undefined {
  return LIES[CHILDREN.indexOf(thread) % LIES.length];
}

async function liar(random: () => number): Promise<StandIn> {
  const standIn = await StandIn.start();
  standIn.always = (turn) => {
    const lie = lieOf(threadOf(turn.seen));
    const isFirst = answersIn(turn.seen) === 0;
    const said = isFirst ? (lie?.said ?? {}) : { output_tokens: 1 };
    // What takes all the money comes last, or nobody else would be heard.
    const pauseMs = lie?.name === "more than there is" ? 1_500 : random() * 60;
    const first = "output_tokens" in said ? { input_tokens: 0, output_tokens: 0 } : {};
    return answer(turn, { calls: isFirst, first, last: said, pauseMs });
  };
  return standIn;
}

/** The first answer of a thread: what was held for it and what it was billed. One that a kill cut off told no lie. */
function firstAnswer(events: readonly Event[]): { bill: Bill; hold: Hold } | undefined {
  const out = events.find((event) => event.type === "cognition_out");
  const { bill } = out?.truncated ? {} : (out ?? {});
  const hold = events.flatMap((event) => (event.type === "step_start" ? (event.hold ?? []) : []));
  const held = hold.find(({ id }) => id === bill?.hold);
  return bill && held && { bill, hold: held };
}

/** What came of a thread after its first answer: it was stopped, it asked again, or it ended. */
function whatFollows(events: readonly Event[]): string {
  const at = events.findIndex((event) => event.type === "cognition_out");
  const next = events
    .slice(at)
    .find(({ type }) => ["thread_suspended", "step_start", "thread_completed"].includes(type));
  return next?.type === "thread_suspended" ? `${next.type} ${next.reason}` : String(next?.type);
}

async function judge(race: Race): Promise<void> {
  const rows = (await race.rows()).filter(({ thread_id }) => thread_id !== ROOT);
  const heard = new Map<string, number>();
  for (const { thread_id, status, suspend_reason: reason, spent } of rows) {
    const lie = lieOf(thread_id);
    const { events } = await race.store.load(thread_id);
    const answered = firstAnswer(events);
    const bills = events.flatMap((event) => ("bill" in event && event.bill ? [event.bill.amount] : []));
    expect(bills.reduce((sum, amount) => sum + amount, 0)).toBe(spent);
    if (answered && lie) {
      heard.set(lie.name, (heard.get(lie.name) ?? 0) + 1);
      expect({ lie: lie.name, ...answered, right: lie.booked(answered.bill, answered.hold) }).toMatchObject({
        right: true,
      });
    }
    const rests = status === "suspended" && (reason === "budget" || reason === "limit");
    const isRight = rests || status === "completed";
    expect({ thread_id, lie: lie?.name, status, reason, isRight }).toMatchObject({ isRight: true });
    if (lie?.stops && answered) expect(whatFollows(events)).toBe("thread_suspended budget");
  }
  expect([...heard.keys()].sort()).toEqual(LIES.map(({ name }) => name).sort());
  const booked = rows.reduce((sum, { spent }) => sum + spent, 0);
  expect((await race.store.balance(ROOT))?.account).toMatchObject({ spent: booked, held: 0 });
  expect(await race.findings()).toEqual([]);
}

test(`a provider that lies to 64 threads through ${KILLS} kills: the books add up (seed ${seed})`, async () => {
  const random = chance(seed);
  const standIn = await liar(random);
  const race = new Race(standIn.url);
  try {
    await race.create("30.00");
    await race.run(KILLS, random, () => standIn.seen.length);
    await judge(race);
  } finally {
    await race.close();
    await standIn.close();
  }
}, 120_000);
