// The message that tells how far the work is: as often as the platform allows, and in the end never "working".
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mannersOf } from "../../src/surface/chat/platforms/manners.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import { defineTool } from "../../src/tool/define.ts";
import { passes, talking } from "./stage.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
/** A campaign looks for what nobody has thought of; otherwise the stories are always the same. */
const RUNS = process.env["SELVAGE_CAMPAIGN"] === "1" ? { numRuns: 200 } : { numRuns: 15, seed: 1 };
const AT_WORK = /^[●↻◐]/;
const MINUTE = 60 * SECOND;

/** Works for so many seconds, and tells of it all the time. */
function chatty(clock: ReturnType<typeof fakeClock>, everyMs = 500) {
  return defineTool({
    name: "chatty",
    description: "Works, and talks about it.",
    input: { type: "object", properties: { seconds: { type: "number" } } },
    effect: "pure",
    run: async (input, context) => {
      const ms = (input as { seconds: number }).seconds * SECOND;
      const until = clock.monotonic() + ms;
      while (clock.monotonic() < until && !context.signal.aborted) {
        context.progress(1 - (until - clock.monotonic()) / ms);
        await clock.sleep(everyMs, context.signal);
      }
      return "done";
    },
  });
}

const works = (seconds: number, n = 0) => ({ calls: [{ tool: "chatty", input: { seconds, n } }] });

test.each(["slack", "telegram"])(
  "a thousand edits keep the manners of %s",
  async (name) => {
    const clock = fakeClock();
    const { editEveryMs } = mannersOf(name);
    // Each for under a minute: as long as that, seconds are shown.
    const steps = Array.from({ length: Math.ceil((1_100 * editEveryMs) / (55 * SECOND)) }, (_, n) =>
      works(55, n),
    );
    const { open, platform, shown } = talking([...steps, { says: "Done." }], {
      ...{ clock, tools: [chatty(clock)], manners: { editEveryMs } },
    });
    const { close } = await open();
    await platform.say("room", "@selvage go");
    for (let at = 0; at < 2 * steps.length && !shown().includes("Done."); at += 1)
      await passes(clock, MINUTE);
    expect(shown().at(-1)).toBe("Done.");
    await passes(clock, 10 * SECOND);
    const gaps = platform.edits.slice(1).map((at, index) => at - (platform.edits[index] ?? 0));
    expect(platform.edits.length).toBeGreaterThan(1_000);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(editEveryMs);
    expect(shown()[0]).toMatch(/^✓/);
    await close();
  },
  60_000,
);

const limited = (more: object) => Object.assign(new Error("slow down"), { code: "RATE_LIMITED", ...more });

test.each([
  ["asks for 30 s in milliseconds", () => limited({ retryAfterMs: 30 * SECOND }), 130],
  ["asks for 30 s in seconds", () => limited({ retryAfter: 30 }), 130],
  ["asks for an hour", () => limited({ retryAfterMs: HOUR }), 100],
  [
    "says 200 and means no",
    () => Object.assign(new Error("ok: false"), { status: 200, data: { ok: false, error: "ratelimited" } }),
    400,
  ],
])(
  "a platform that %s for an hour is left in peace, and gets a last text after it",
  async (_, error, mostCalls) => {
    const clock = fakeClock();
    const { open, platform, shown } = talking([works(20), { says: "Done." }], {
      ...{ clock, tools: [chatty(clock)] },
    });
    const { close } = await open();
    await platform.say("room", "@selvage go");
    await passes(clock, 10 * SECOND);
    expect(shown()[0]).toMatch(AT_WORK);
    platform.weather = error;
    const before = platform.calls;
    await passes(clock, HOUR);
    expect(platform.calls - before).toBeLessThan(mostCalls);
    platform.weather = () => undefined;
    for (let at = 0; at < 10 && shown().some((text) => AT_WORK.test(text)); at += 1)
      await passes(clock, MINUTE);
    expect(shown()).toHaveLength(1);
    expect(shown()[0]).toMatch(/^Done\.$|could not deliver/);
    await close();
  },
  60_000,
);

type Move =
  | { readonly does: "say"; readonly seconds: number }
  | { readonly does: "wait"; readonly seconds: number }
  | { readonly does: "fail"; readonly times: number; readonly butArrives: boolean }
  | { readonly does: "limit"; readonly seconds: number }
  | { readonly does: "slow"; readonly seconds: number }
  | { readonly does: "hang" }
  | { readonly does: "die"; readonly at: number; readonly lands: boolean }
  | { readonly does: "stop" };

const seconds = fc.nat({ max: 40 });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("say" as const), seconds }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("wait" as const), seconds }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ does: fc.constant("die" as const), at: fc.integer({ min: 1, max: 25 }), lands: fc.boolean() },
    }),
  },
  fc.record({
    ...{
      does: fc.constant("fail" as const),
      times: fc.integer({ min: 1, max: 5 }),
      butArrives: fc.boolean(),
    },
  }),
  fc.record({ does: fc.constant("limit" as const), seconds }),
  fc.record({ does: fc.constant("slow" as const), seconds }),
  fc.constant({ does: "hang" as const }),
  fc.constant({ does: "stop" as const }),
);

/** A whole story of one chat, with deaths of its process; then everything is well for a while. */
async function play(moves: readonly Move[]) {
  const clock = fakeClock();
  const says = moves.filter((each) => each.does === "say");
  const steps = says.flatMap(({ seconds }, n) => [works(seconds + 1, n), { says: `Answer ${n + 1}.` }]);
  const stage = talking(steps, { clock, tools: [chatty(clock, 5 * SECOND)] });
  const { platform, begin } = stage;
  let process = begin();
  let bot = await process.ready;
  const again = async (death?: Parameters<typeof begin>[0]) => {
    process = begin(death);
    // One that dies while it begins never says that it has begun.
    await Promise.race([
      process.ready.then(
        (ready) => {
          bot = ready;
        },
        () => {},
      ),
      process.opened.mortal.died,
    ]);
  };
  const dead = { fails: Object.assign(new Error("no"), { status: 503 }) };
  let said = 0;
  for (const each of moves) {
    if (process.opened.mortal.isDead) {
      await process.opened.kill();
      await again();
    }
    const died = process.opened.mortal.died;
    if (each.does === "say") {
      said += 1;
      const id = `m${said}`;
      const stored = platform.say("room", `@selvage go ${said}`, { id }).then(
        () => true,
        () => false,
      );
      // A platform that was not told that we have it delivers it again.
      if (!(await Promise.race([stored, died.then(() => false)]))) {
        await process.opened.kill();
        await again();
        await platform.say("room", `@selvage go ${said}`, { id });
      }
    }
    if (each.does === "wait") await passes(clock, each.seconds * SECOND);
    if (each.does === "fail")
      platform.next(
        "room",
        ...Array.from({ length: each.times }, () => ({ ...dead, butArrives: each.butArrives })),
      );
    if (each.does === "limit") platform.limits("room", each.seconds * SECOND);
    if (each.does === "slow") platform.next("room", { takesMs: each.seconds * SECOND });
    if (each.does === "hang") platform.next("room", { hangs: true });
    if (each.does === "stop" && !process.opened.mortal.isDead) {
      await Promise.race([bot.close(), died]);
      await process.opened.kill();
      await again();
    }
    if (each.does === "die" && !process.opened.mortal.isDead) {
      await process.opened.kill();
      await again({ at: each.at, fate: each.lands ? "landed" : "lost" });
    }
  }
  await process.opened.kill();
  await again();
  platform.calms("room");
  await passes(clock, 5 * MINUTE);
  await bot.close();
  return { shown: stage.shown(), said, log: stage.texts() };
}

test("whatever fails, hangs or dies in between: no progress message stays at work, and no answer is there twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 12 }), async (moves) => {
      const { shown, said, log } = await play(moves);
      expect(
        shown.filter((text) => AT_WORK.test(text)),
        log.join(" | "),
      ).toEqual([]);
      for (let n = 1; n <= said; n += 1)
        expect(shown.filter((text) => text === `Answer ${n}.`).length, log.join(" | ")).toBeLessThanOrEqual(
          1,
        );
    }),
    { ...RUNS, endOnFailure: true, timeout: 60_000 },
  );
}, 400_000);
