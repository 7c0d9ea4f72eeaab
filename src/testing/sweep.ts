/**
 * The crash sweep: count the writes of a story, then die at each of them, landed, lost and torn; open a new world
 * on what is left, finish, and compare. Recovery itself can be made to die too.
 */
import type { Event } from "../core/event.ts";
import { toArray } from "../core/log.ts";
import { runningProcesses } from "../core/managed.ts";
import { BY_FOLLOW_UP } from "../core/past-failure.ts";
import { inFlight } from "../core/recover.ts";
import { newRow, type RowFold, reduceRow } from "../core/row.ts";
import type { Store } from "../core/store.ts";
import type { Thread } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import type { StoreNeeds } from "../store/stores/needs.ts";
import { channelGaps } from "./channel-words.ts";
import type { Death, Fate } from "./mortal.ts";
import { play, readThread, type Story, storyUniverse } from "./story.ts";
import type { Universe } from "./universe.ts";
import type { Oracle } from "./watched.ts";

export interface SweepOptions {
  readonly fates?: readonly Fate[];
  /** Let the recovering world die as well, at each of its writes, or at every n-th of them. */
  readonly twice?: boolean | { readonly every: number; readonly from: number };
  /** A store for each run; each call with the same `needs` opens the same one again. */
  readonly stores?: () => (needs: StoreNeeds) => Store;
}

export interface SweepReport {
  readonly writes: number;
  readonly runs: number;
  /** Empty when every promise held everywhere. */
  readonly broken: readonly string[];
}

export async function sweep(story: Story, options: SweepOptions = {}): Promise<SweepReport> {
  const fates = options.fates ?? ["landed", "lost", "torn"];
  const baseline = await life(story, [], options);
  const broken = [...baseline.broken];
  let runs = 1;
  for (let at = 1; at <= baseline.writes; at += 1) {
    for (const fate of fates) {
      const first = await life(story, [{ at, fate }], options);
      broken.push(...judge(baseline, first, `death ${at} ${fate} (${first.deathAt})`));
      runs += 1;
      if (!options.twice) continue;
      const { every, from } = options.twice === true ? { every: 1, from: 0 } : options.twice;
      for (let again = 1 + ((from + at) % every); again <= first.lastWrites; again += every) {
        const second = await life(
          story,
          [
            { at, fate },
            { at: again, fate: again % 2 ? "landed" : "lost" },
          ],
          options,
        );
        broken.push(...judge(baseline, second, `deaths ${at} ${fate} then ${again} (${second.deathAt})`));
        runs += 1;
      }
    }
  }
  return { writes: baseline.writes, runs, broken };
}

interface Life {
  /** Everyone there is, the root first. */
  readonly members: readonly Member[];
  readonly universe: Universe;
  readonly broken: readonly string[];
  /** Writes of the first world, and of the last. */
  readonly writes: number;
  readonly lastWrites: number;
  readonly deathAt: string;
}

interface Member {
  readonly thread: Thread;
  readonly events: readonly Event[];
}

/** One universe, one world after another: each but the last dies as told. */
async function life(story: Story, deaths: readonly Death[], options: SweepOptions): Promise<Life> {
  const oracle: Oracle = { broken: [] };
  const universe = storyUniverse(story, oracle, options.stores?.());
  const deathAt: string[] = [];
  let writes = 0;
  for (const death of deaths) {
    const { world, mortal, kill } = universe.open(death);
    const played = play(world, story);
    played.catch(() => {});
    await Promise.race([played, mortal.died]);
    writes ||= mortal.writes;
    deathAt.push(mortal.lastWrite);
    await kill();
  }
  const { world, mortal, kill } = universe.open();
  await play(world, story);
  const rows = (await world.store.find({})).toReversed();
  const members = await Promise.all(rows.map(({ thread_id }) => readThread(world, thread_id)));
  for (const member of members) oracle.broken.push(...(await leftovers(world, member, members)));
  for (const [handle, { alive, starts }] of universe.processes.byHandle) {
    if (alive) oracle.broken.push(`process ${handle} was left running`);
    if (starts > 1) oracle.broken.push(`process ${handle} was started ${starts} times`);
  }
  for (const { host_id } of await world.store.hosts()) oracle.broken.push(`host ${host_id} was left behind`);
  await kill();
  const lastWrites = mortal.writes;
  return {
    members,
    universe,
    broken: oracle.broken,
    writes: writes || lastWrites,
    lastWrites,
    deathAt: deathAt.join(", "),
  };
}

/** One that lasts rests when every message has its one answer, was stopped once, or failed before the next one was read. */
function unanswered({ status, waitsFor }: Thread, events: readonly Event[]): string[] {
  const said = events.flatMap((event) =>
    event.type === "message_received" && event.replaces === undefined ? [event.request_id] : [],
  );
  let read: string | undefined;
  const answers = events.flatMap((event) => {
    if (event.type === "cognition_in") read = event.request_id ?? read;
    if (event.type === "thread_resumed" && event.by === BY_FOLLOW_UP) return [read];
    return event.type === "message_answered" || event.type === "message_stopped" ? [event.for] : [];
  });
  return [
    ...(status === "running" && waitsFor?.kind === "message" ? [] : [`it is ${status} and does not wait`]),
    ...(JSON.stringify(said) === JSON.stringify(answers) ? [] : [`said ${said}, answered ${answers}`]),
  ];
}

/** What an ended thread must not leave behind, and what must agree. */
async function leftovers(
  { store }: World,
  { thread, events }: Member,
  members: readonly Member[],
): Promise<string[]> {
  const [row] = await store.find({ threadId: thread.id });
  const folded = events.reduce((fold: RowFold, event) => reduceRow(fold, event), newRow(thread.id));
  const wrong = (Object.keys(folded) as (keyof RowFold)[]).filter(
    (key) => JSON.stringify(folded[key]) !== JSON.stringify(row?.[key]),
  );
  const ends = events.filter((event) => ENDS.includes(event.type)).length;
  // What a chain came to is told by its last thread.
  const isHead = thread.status !== "continued";
  return [
    ...wrong.map((key) => `the registry has another ${key} than the journal`),
    ...(row?.owner ? [`${row.owner} still owns it`] : []),
    ...(thread.lasting ? unanswered(thread, events) : ends === 1 ? [] : [`it ended ${ends} times`]),
    ...(isHead
      ? []
      : members.filter(({ thread: { continuationOf } }) => continuationOf === thread.id).length === 1
        ? []
        : ["not one thread goes on from it"]),
    ...(await store.openRequests(thread.chainRootId)).map(({ kind }) => `a ${kind} was left unanswered`),
    ...(await store.approvals({ states: ["open"] })).map(
      ({ approval }) => `${approval.approval_id} was left open`,
    ),
    ...(isHead ? await money(store, thread) : []),
    ...(isHead ? untold(thread, members) : []),
    ...(isHead ? untoldFurther(thread, events, members) : []),
    ...(isHead ? channelGaps(chainEvents(thread, members)) : []),
    ...(isHead ? runningProcesses(thread) : []).map(
      ({ handle }) => `nothing is written down of the end of ${handle}`,
    ),
  ].map((sentence) => `${thread.directive}: ${sentence}`);
}

function chainEvents({ chainRootId }: Thread, members: readonly Member[]): readonly Event[] {
  return members.filter(({ thread }) => thread.chainRootId === chainRootId).flatMap(({ events }) => events);
}

/** Ledger, registry and fold tell the same, to the last unit, and nothing is held for a thread that has ended. */
async function money(store: Store, thread: Thread): Promise<string[]> {
  const found = await store.balance(thread.chainRootId);
  if (!found) return ["it has no account"];
  const { account, open } = found;
  const cap = account.cap ?? Number.POSITIVE_INFINITY;
  const below = Object.values(thread.children).reduce((sum, { cost }) => sum + (cost?.spent ?? 0), 0);
  // Who shares has nothing on an account of its own.
  const told = account.cap === null && thread.parentId !== null ? 0 : thread.spent + below;
  return [
    ...(account.spent === told ? [] : [`${account.spent} spent, the journal says ${told}`]),
    ...(account.held === 0 && open.length === 0 ? [] : [`${account.held} still held`]),
    ...(account.ended === thread.lasting
      ? [`its account is ${account.ended ? "closed" : "still open"}`]
      : []),
    ...(account.spent <= cap ? [] : [`${account.spent} spent of ${cap}`]),
  ];
}

/** Every child is known to its parent, by the end that it had; told once. */
function untold(thread: Thread, members: readonly Member[]): string[] {
  if (thread.parentId === null) return [];
  const { parentId, chainRootId } = thread;
  const chain = members.filter((member) => member.thread.chainRootId === parentId);
  const told = chain
    .flatMap(({ events }) => events)
    .filter(
      (event) =>
        (event.type === "child_thread_completed" || event.type === "child_thread_failed") &&
        event.child_id === chainRootId,
    );
  const known = chain.at(-1)?.thread.children[chainRootId]?.status;
  return [
    ...(told.length === 1 ? [] : [`its end was told ${told.length} times`]),
    ...(known === thread.status ? [] : [`its parent takes it for ${known}, it is ${thread.status}`]),
  ];
}

/** Of everyone further down that a wait has named it knows the end, told once; and it is to be told of nobody any more. */
function untoldFurther(thread: Thread, events: readonly Event[], members: readonly Member[]): string[] {
  return Object.values(thread.further).flatMap(({ id, status }) => {
    const found = members.findLast((member) => member.thread.chainRootId === id)?.thread.status;
    const told = events.filter(
      (event) => event.type === "descendant_reported" && event.descendant_id === id && event.status === found,
    );
    return [
      ...(told.length === 1 ? [] : [`of the end of ${id} it was told ${told.length} times`]),
      ...(found === status ? [] : [`it takes ${id} for ${status}, and that is ${found}`]),
    ];
  });
}

const ENDS: readonly string[] = [
  ...["thread_completed", "thread_failed", "thread_cancelled"],
  "thread_continued",
];

function judge(baseline: Life, found: Life, when: string): string[] {
  const broken = found.broken.map((sentence) => `${when}: ${sentence}`);
  for (const [key, times] of repeats(found.universe))
    broken.push(`${when}: the manual call ${key} took effect ${times} times`);
  // An answer that was cut is shorter, and starts fewer.
  const isCut = found.members.some(({ events }) => isExplained(events));
  if (!isCut && found.members.length !== baseline.members.length)
    broken.push(`${when}: there are ${found.members.length} threads instead of ${baseline.members.length}`);
  const byId = new Map(baseline.members.map((member) => [member.thread.id, member]));
  for (const member of found.members) {
    const before = byId.get(member.thread.id);
    if (!before) broken.push(`${when}: nobody knows ${member.thread.id}`);
    else broken.push(...judgeMember(before, member, found.universe, isCut).map((what) => `${when}: ${what}`));
  }
  return broken;
}

/** `isCut`: somebody in the tree was told of a cut answer or an unknown outcome, and all may have heard of it. */
function judgeMember(baseline: Member, found: Member, universe: Universe, isCut: boolean): string[] {
  const broken: string[] = [];
  const say = (sentence: string) => broken.push(`${found.thread.directive}: ${sentence}`);
  // A shorter answer may fit where the whole did not.
  const mayFit = isCut && baseline.thread.status === "continued" && found.thread.status === "completed";
  if (found.thread.status !== baseline.thread.status && !mayFit) {
    say(`ended ${found.thread.status} instead of ${baseline.thread.status}`);
  }
  for (const call of inFlight(found.thread)) say(`call ${call.call_id} was left without a result`);
  for (const sentence of doubleResults(found.events)) say(sentence);
  // One that was stopped from outside has said what it had by then: how much that is, chance decides.
  const isStopped = baseline.thread.parentId !== null && found.thread.status === "cancelled";
  if (!isCut && !isStopped && !sameWords(baseline.thread, found.thread)) {
    say("the conversation differs and nothing in the journal explains it");
  }
  const acknowledged = universe.acknowledged.get(found.thread.id) ?? [];
  const journal = found.events.filter(
    (event) =>
      event.type !== "thread_created" && !(event.type === "cognition_in" && event.source === "directive"),
  );
  if (JSON.stringify(acknowledged) !== JSON.stringify(journal))
    say("the journal is not what was acknowledged");
  const exported = universe.transcripts.get(found.thread.id)?.map((event) => event.seq) ?? [];
  const numbers = found.events.map((event) => event.seq).slice(0, exported.length);
  if (numbers.join() !== exported.join()) say("the transcript is no beginning of the journal");
  return broken;
}

function repeats(universe: Universe): [string, number][] {
  const times = new Map<string, number>();
  for (const { key, effect } of universe.effects) {
    if (effect === "manual" || effect === "probe") times.set(key, (times.get(key) ?? 0) + 1);
  }
  return [...times].filter(([, count]) => count > 1);
}

function doubleResults(events: readonly Event[]): string[] {
  const seen = new Set<string>();
  return events.flatMap((event) => {
    if (event.type !== "tool_call_result") return [];
    const again = seen.has(event.call_id);
    seen.add(event.call_id);
    return again ? [`call ${event.call_id} has two results`] : [];
  });
}

/** A cut answer or an unknown outcome is told to the model and changes what follows. */
function isExplained(events: readonly Event[]): boolean {
  return events.some(
    (event) =>
      (event.type === "cognition_out" && event.truncated && event.stop === "cut") ||
      (event.type === "tool_call_result" && event.status === "unknown"),
  );
}

function sameWords(left: Thread, right: Thread): boolean {
  return wordsOf(left) === wordsOf(right);
}

/** What others cost, and how long they were waited for, is told to who waits; after a death that may be more. */
function wordsOf({ messages }: Thread): string {
  return JSON.stringify(toArray(messages)).replace(
    /(tokens|spend|total_cost|elapsed_seconds)\\":(\\")?[\d.]+/g,
    "$1",
  );
}
