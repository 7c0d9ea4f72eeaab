/**
 * 64 threads race for one cap while the processes that host them are killed. The provider keeps its own invoice, and
 * that invoice never comes to more than the cap; nor is anything on it that the books do not have.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { answers, StandIn } from "../provider/stand-in.ts";
import { answer, answersIn, chance, Invoice, inputOf, threadOf } from "./invoice.ts";
import { CHILDREN, Race, ROOT } from "./race.ts";

const seed = Number(process.env["SELVAGE_SEED"] ?? 1);
const isCampaign = process.env["SELVAGE_CAMPAIGN"] === "1";
const KILLS = isCampaign ? 8 : 4;
const RACES = isCampaign ? 40 : 1;
const CAP = "10.00";
const NANOS = 10_000_000_000;

/** Honest: it bills what it was sent and at most the answer that it was allowed. One request in ten fails. */
async function honest(invoice: Invoice, random: () => number): Promise<StandIn> {
  const standIn = await StandIn.start();
  standIn.always = (turn) => {
    if (random() < 0.1) return answers(503, { error: { message: "busy" } })(turn);
    const { seen } = turn;
    const input = inputOf(seen);
    const output = Math.ceil(seen.body.max_tokens * (random() < 0.3 ? 1 : random() ** 2));
    const thread = threadOf(seen);
    invoice.charge(thread, { input, output });
    return answer(turn, {
      calls: answersIn(seen) < CHILDREN.indexOf(thread) % 8,
      first: { input_tokens: input, output_tokens: 1 },
      last: { output_tokens: output },
      pauseMs: 10 + random() * 150,
    });
  };
  return standIn;
}

/** Looks at the account from outside, again and again, until it is told to stop. */
function watch(race: Race, invoice: Invoice) {
  const store = race.open(true);
  const broken = new Set<string>();
  let looks = 0;
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      const billed = invoice.total;
      const { spent = 0, held = 0 } = (await store.balance(ROOT))?.account ?? {};
      if (spent + held > NANOS) broken.add(`spent ${spent} and held ${held}: above the cap`);
      if (spent + held < billed) broken.add(`billed ${billed}, in the books ${spent + held}`);
      looks += 1;
      await sleep(3);
    }
  };
  const looking = look();
  return async () => {
    isOver = true;
    await looking;
    await store.close();
    return { broken: [...broken], looks };
  };
}

/** Everything that must hold when nothing moves any more. */
async function judge(race: Race, invoice: Invoice): Promise<void> {
  const rows = (await race.rows()).filter(({ thread_id }) => thread_id !== ROOT);
  const restless = rows.filter(
    ({ status, suspend_reason: reason, waits_for: waits }) =>
      status !== "completed" &&
      !(status === "suspended" && reason === "budget" && waits?.kind === "person" && waits.approval_id),
  );
  expect(restless.map(({ thread_id, status, suspend_reason: why }) => ({ thread_id, status, why }))).toEqual(
    [],
  );
  expect(rows).toHaveLength(CHILDREN.length);
  expect(rows.some(({ status }) => status === "suspended")).toBe(true);
  const { account } = (await race.store.balance(ROOT)) ?? {};
  const booked = rows.reduce((sum, { spent }) => sum + spent, 0);
  expect(account).toMatchObject({ spent: booked, held: 0 });
  expect(booked).toBeGreaterThanOrEqual(invoice.total);
  expect(rows.filter(({ held }) => held > 0)).toEqual([]);
  for (const { thread_id, spent } of rows) {
    const { open } = (await race.store.balance(thread_id)) ?? {};
    expect({ thread_id, open }).toEqual({ thread_id, open: [] });
    const { events } = await race.store.load(thread_id);
    const holds = events.filter((event) => event.type === "step_start" && event.hold).length;
    const bills = events.flatMap((event) => ("bill" in event && event.bill ? [event.bill] : []));
    expect(bills.reduce((sum, { amount }) => sum + amount, 0)).toBe(spent);
    const asked = invoice.entries.filter(({ thread }) => thread === thread_id);
    expect(spent).toBeGreaterThanOrEqual(asked.reduce((sum, { amount }) => sum + amount, 0));
    expect(holds).toBeGreaterThanOrEqual(asked.length);
  }
  expect(await race.findings()).toEqual([]);
}

test.each(Array.from({ length: RACES }, (_, index) => seed + index))(
  `64 calls race for one cap through ${KILLS} kills: the provider's invoice never comes to more (seed %i)`,
  async (roll) => {
    const invoice = new Invoice();
    const standIn = await honest(invoice, chance(roll));
    const race = new Race(standIn.url);
    try {
      await race.create(CAP);
      const stop = watch(race, invoice);
      await race.run(KILLS, chance(roll + 1), () => invoice.entries.length);
      const { broken, looks } = await stop();
      expect(broken).toEqual([]);
      expect(looks).toBeGreaterThan(50);
      expect(invoice.entries.filter(({ total }) => total > NANOS)).toEqual([]);
      // It was a race: more was asked for than there is, and by more than one in turn.
      expect(invoice.entries.length).toBeGreaterThan(20);
      await judge(race, invoice);
    } finally {
      await race.close();
      await standIn.close();
    }
  },
  // Who stopped for money tries again by itself after 15, 30 and 60 s, and is waited for.
  300_000,
);
