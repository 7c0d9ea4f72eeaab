/**
 * The story of the demo in acts: run, kill, look, recover, ask, end, prove. It waits for facts, never for times, and
 * tells what journals, ledger, commands and processes say, never what they should say.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../../core/event.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { isTerminal } from "../../../core/status.ts";
import type { World } from "../../../core/world.ts";
import { counted } from "../moment.ts";
import { brokenStory } from "./broken.ts";
import { type Child, type ChildEnd, type DemoPlace, dataOf } from "./child.ts";
import { Follower } from "./follower.ts";
import { processesOf } from "./leftovers.ts";
import { row } from "./line.ts";
import { type PlanData, type PsData, planLines, psText } from "./plan-lines.ts";
import { CUT_OFF, EFFECTS, ROOT_DIRECTIVE } from "./project.ts";
import { type Evidence, type Journals, ofType, redone, repaid } from "./proof.ts";
import { answerOf } from "./question.ts";
import { SlowDisk } from "./slow-disk.ts";
import type { Stage } from "./stage.ts";

export interface StoryOptions {
  readonly place: DemoPlace;
  readonly world: World;
  readonly stage: Stage;
  /** Between the acts, for people. */
  readonly pauseMs: number;
  readonly withCrash: boolean;
}

export interface Told {
  readonly evidence: Evidence;
  readonly recovered: number;
  readonly rootId: string;
}

/** Generous: a slow machine is no failure. */
const CEILING_MS = 120_000;
const LOOK_EVERY_MS = 15;
/** A keeper writes down how its process ended, and goes. */
const LAST_WORD_MS = 5_000;
/** Who is asked again and again and always raises by too little has seen enough. */
const MOST_QUESTIONS = 10;

export class Story {
  readonly #options: StoryOptions;
  readonly #follower: Follower;
  #host: Child | undefined;
  #hostEnd: ChildEnd | undefined;
  #before: Journals | undefined;
  #recovered = 0;

  constructor(options: StoryOptions) {
    this.#options = options;
    this.#follower = new Follower(options.world, options.stage);
  }

  async play(): Promise<Told> {
    const { withCrash, place } = this.#options;
    const disk = withCrash ? new SlowDisk(place.project, CUT_OFF) : undefined;
    try {
      this.#hostBy("run", ROOT_DIRECTIVE);
      if (disk) {
        await this.#untilCutOff();
        await this.#kill();
        disk.repair();
        await this.#recover(await this.#look());
      }
      await this.#untilOver();
      return await this.#end();
    } finally {
      disk?.repair();
    }
  }

  /** The model has answered, its call is on disk, and its tool really runs. */
  async #untilCutOff(): Promise<void> {
    const cutOff = () => {
      const line = this.#effects().find((each) => each.startsWith("begin ") && each.endsWith(` ${CUT_OFF}`));
      const { events } = this.#follower;
      const call = ofType(events, "tool_call_start").find(({ call_id }) => line?.includes(call_id));
      const isAnswered = ({ thread_id, turn }: Event<"cognition_out">) =>
        thread_id === call?.thread_id && turn === call.turn;
      return call && ofType(events, "cognition_out").some(isAnswered) ? call : undefined;
    };
    await this.#until("a tool that can be cut off", () => cutOff() !== undefined);
    const call = cutOff();
    const [owner] = (await this.#rows()).filter(({ thread_id }) => thread_id === call?.thread_id);
    this.#options.stage.tell(row("●", owner?.directive ?? "", "tool running", `${call?.tool} ${CUT_OFF}`));
  }

  async #kill(): Promise<void> {
    const { stage, world, pauseMs } = this.#options;
    await stage.curtain("kill -9", pauseMs);
    const host = this.#host?.process;
    stage.rest();
    const killedAt = world.clock.now();
    host?.kill("SIGKILL");
    const end = await this.#host?.ended;
    stage.tell(row("✖", `kill -9 ${host?.pid}`, "", "← the worker is really gone"));
    this.#before = await this.#journals();
    const events = [...this.#before.values()].flat();
    const last = Math.max(...events.map(({ ts }) => Date.parse(ts)));
    const ago = `last checkpoint ${((killedAt - last) / 1000).toFixed(1)} s before the kill`;
    const counts = `${counted(this.#before.size, "thread")} · ${counted(events.length, "event")}`;
    stage.say(`what is on disk:  ${counts} · ${ago}`);
    stage.act("kill", end?.signal === "SIGKILL");
  }

  /** The commands that a person would use, both at once: neither changes anything. */
  async #look(): Promise<readonly PlanData[]> {
    const { stage, place } = this.#options;
    const [listed, scanned] = await Promise.all([
      place.run(["ps", "--json"]),
      place.run(["recover", "--scan", "--json"]),
    ]);
    stage.check();
    const { threads = [] } = dataOf<PsData>(listed);
    const { orphans = [] } = dataOf<{ orphans: readonly PlanData[] }>(scanned);
    stage.say(`what \`ps\` says:   ${psText(threads)}`);
    stage.act("look", threads.some(({ view }) => view === "orphaned") && orphans.length > 0);
    return orphans;
  }

  async #recover(plan: readonly PlanData[]): Promise<void> {
    const { stage, pauseMs } = this.#options;
    await stage.curtain("selvage recover --all", pauseMs);
    stage.rest();
    stage.tell("selvage recover --all");
    for (const line of planLines(plan, await this.#rows())) stage.say(line);
    this.#hostBy("recover", "--all");
    const orphans = plan.filter(({ reason }) => reason === "owner_gone").map(({ thread_id }) => thread_id);
    await this.#until("the recovery", () => {
      const back = this.#follower.events.filter(({ type }) => type === "crash_recovered");
      return orphans.every((id) => back.some(({ thread_id }) => thread_id === id));
    });
    const after = await this.#journals();
    const again = redone({ after, effects: this.#effects() }) + repaid({ after });
    stage.say(
      again === 0
        ? "Nothing finished was redone or paid for again."
        : "Something finished was redone or paid for again!",
    );
    stage.act("recover", orphans.length > 0 && again === 0);
  }

  /** Until all have ended: whoever asks is answered, and what nobody hosts is taken up. */
  async #untilOver(): Promise<void> {
    const { stage, world, pauseMs } = this.#options;
    for (let asked = 0; asked <= MOST_QUESTIONS; asked += 1) {
      await this.#untilHostEnds();
      const [root] = await this.#rows();
      if (root && isTerminal(root.status)) return;
      const [question] = await world.store.approvals({ states: ["open"] });
      if (!question) {
        this.#hostBy("recover", "--all");
        continue;
      }
      await stage.curtain("the answer", stage.keys ? 0 : pauseMs);
      this.#hostBy(...(await answerOf(stage, question.approval)));
      await this.#until("the answer to be taken", () => this.#isDecided(question.approval.approval_id));
      stage.act("approval", true);
    }
  }

  #isDecided(id: string): boolean {
    return this.#follower.events.some(
      (event) => event.type === "approval_decided" && event.approval_id === id,
    );
  }

  async #end(): Promise<Told> {
    const { stage, world } = this.#options;
    const rows = await this.#rows();
    const [root] = rows;
    if (!root) throw brokenStory("nothing was started", this.#hostEnd);
    stage.act("end", root.status === "completed");
    const family = await world.store.family(root.thread_id);
    const statement = family.find(({ row: each }) => each.thread_id === root.thread_id)?.statement;
    const evidence = {
      before: this.#before,
      after: await this.#journals(),
      threads: rows,
      total: statement?.account.spent ?? 0,
      effects: this.#effects(),
      left: await this.#left(rows.map(({ thread_id }) => thread_id)),
    };
    return { evidence, recovered: this.#recovered, rootId: root.thread_id };
  }

  async #left(ids: readonly string[]): Promise<readonly number[]> {
    const { clock } = this.#options.world;
    const deadline = clock.monotonic() + LAST_WORD_MS;
    for (;;) {
      const left = processesOf(ids);
      if (left.length === 0 || clock.monotonic() > deadline) return left;
      await clock.sleep(LOOK_EVERY_MS, this.#options.stage.signal);
    }
  }

  /** The root first, then in the order of their births. */
  async #rows(): Promise<ThreadRow[]> {
    const rows = await this.#options.world.store.find({});
    return [...rows].sort((left, right) =>
      left.parent_id === null
        ? -1
        : right.parent_id === null
          ? 1
          : left.created_at < right.created_at
            ? -1
            : 1,
    );
  }

  async #journals(): Promise<Journals> {
    const { store } = this.#options.world;
    const journals = new Map<string, readonly Event[]>();
    for (const { thread_id } of await this.#rows())
      journals.set(thread_id, (await store.load(thread_id)).events);
    return journals;
  }

  #effects(): string[] {
    try {
      const text = readFileSync(join(this.#options.place.project, EFFECTS), "utf8");
      return text.split("\n").filter((line) => line !== "");
    } catch {
      return []; // nothing has happened yet
    }
  }

  /** A command that hosts the tree in a process of its own, until somebody is needed. */
  #hostBy(...args: string[]): void {
    const host = this.#options.place.start([...args, "--json"]);
    this.#host = host;
    this.#hostEnd = undefined;
    host.ended.then((end) => {
      if (this.#host === host) this.#hostEnd = end;
      if (args[0] === "recover")
        this.#recovered += dataOf<{ recovered: readonly string[] }>(end).recovered?.length ?? 0;
    });
  }

  async #untilHostEnds(): Promise<void> {
    await this.#until("the tree to come to rest", () => this.#hostEnd !== undefined);
    await this.#follower.catchUp();
  }

  /** What the host has done when it ends counts: the journal is read once more before anybody complains. */
  async #until(what: string, isSo: () => boolean): Promise<void> {
    const { world, stage } = this.#options;
    const deadline = world.clock.monotonic() + CEILING_MS;
    for (;;) {
      const end = this.#hostEnd;
      await this.#follower.catchUp();
      stage.check();
      if (isSo()) return;
      if (end) throw brokenStory(`the tree stopped before ${what}`, end);
      if (world.clock.monotonic() > deadline) throw brokenStory(`waited too long for ${what}`);
      await world.clock.sleep(LOOK_EVERY_MS, stage.signal);
    }
  }
}
