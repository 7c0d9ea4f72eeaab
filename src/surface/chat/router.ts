/**
 * Takes in what a platform tells: decides what it is, stores it, and returns. Nothing else happens before the platform is
 * told that it was received; commands are carried out after that.
 */
import { withAttachments } from "../../core/chat-attached.ts";
import { clicked, type Intake, intake, requestIdOf } from "../../core/chat-intake.ts";
import {
  addressOf,
  type ChatClick,
  type ChatEdit,
  type ChatListener,
  type ChatMessage,
  type ChatPerson,
  type ChatPlace,
} from "../../core/chat-platform.ts";
import type { ScheduledPrompt } from "../../core/chat-schedule.ts";
import { unfitForTalk } from "../../core/chat-start.ts";
import { errorText } from "../../core/chat-texts.ts";
import { type Said, tellChat } from "../../runtime/index.ts";
import type { Actors } from "./actors.ts";
import { prepareTalk } from "./beginning.ts";
import { Holding } from "./holding.ts";
import { Lines } from "./lines.ts";
import { perform } from "./performing.ts";
import type { ChatProject } from "./project.ts";
import { reword, rewordedHeld } from "./rewording.ts";
import type { ChatRules } from "./rules.ts";

export interface RouterNeeds {
  readonly premises: ChatProject;
  readonly rules: ChatRules;
  readonly actors: Actors;
  readonly trouble: (message: string) => void;
}

export class ChatRouter implements ChatListener {
  readonly #needs: RouterNeeds;
  readonly #holding: Holding;
  readonly #underWay = new Set<Promise<void>>();
  /** By place: the last command that is being carried out. What is said after it comes after it. */
  readonly #asked = new Map<string, Promise<unknown>>();
  /** By chat: one that floods us has its messages stored one by one, and the others theirs between them. */
  readonly #lines = new Lines(1);
  #isStopped = false;

  constructor(needs: RouterNeeds) {
    this.#needs = needs;
    const { premises, rules, trouble } = needs;
    this.#holding = new Holding({
      ...{ world: premises.world, files: premises.chatFiles, limits: rules.attachments, trouble },
      tell: (place, said) => this.#tell(place, said),
      say: (place, personId, text) => this.#sayTo(place, personId, text),
    });
  }

  /** What a process before this one held is handed over before anybody says anything new. */
  async begin(): Promise<void> {
    await this.#holding.begin((place) => this.#needs.actors.speaksIn(place));
  }

  message(message: ChatMessage): Promise<void> {
    return this.#inLine(message.place, () => this.#message(message));
  }

  async #message(message: ChatMessage): Promise<void> {
    const { place, id, by: person } = message;
    const isOurs = (await this.#row(place)) !== undefined;
    const read = intake(message, { isOurs, access: this.#needs.rules.access(place) });
    if (read.kind === "steering" || read.kind === "message") {
      await this.#asked.get(addressOf(place));
      const words = message.isDirect ? read.text : `${speaker(person)}${read.text}`;
      // Nobody's words pass for a list of what was attached.
      const text = withAttachments(words, [], []);
      const messageId = requestIdOf(place, id);
      const said = { text, by: read.by, messageId, steers: read.kind === "steering" };
      if (!this.#holding.takes(message, said)) await this.#begin(place, person, said);
      return;
    }
    this.#answer(place, person, read);
  }

  /** What only a person can mend is said: the platform would deliver it again and again, and nobody would know. */
  async #begin(place: ChatPlace, person: ChatPerson, said: Omit<Said, "address">): Promise<void> {
    try {
      await this.#tell(place, said);
    } catch (error) {
      const why = unfitForTalk(error);
      if (why === undefined) throw error;
      this.#needs.trouble(`${addressOf(place)}: a message was not taken: ${why}`);
      this.#say(place, person, errorText({ class: "not_begun", sentence: why }).text);
    }
  }

  /** After the message that it changes. */
  edited(edit: ChatEdit): Promise<void> {
    return this.#inLine(edit.place, () => this.#edited(edit));
  }

  async #edited(edit: ChatEdit): Promise<void> {
    const { premises, actors } = this.#needs;
    const prefix = speaker(edit.by);
    const messageId = requestIdOf(edit.place, edit.id);
    const words = (text: string) => rewordedHeld(edit, text, prefix);
    if (await this.#holding.amend(edit.place, messageId, words)) return;
    const says = await reword(edit, { world: premises.world, actors, prefix });
    if (says !== undefined) this.#say(edit.place, edit.by, says);
  }

  async clicked(click: ChatClick): Promise<void> {
    this.#answer(click.place, click.by, clicked(click, this.#needs.rules.access(click.place)));
  }

  /** What no platform delivers: a schedule says it, or it was said before. It is words for the thread, whatever it looks like. */
  async relay(place: ChatPlace, said: ScheduledPrompt): Promise<void> {
    await this.#tell(place, { ...said, steers: false });
  }

  /** Until everything that was taken in is stored, and every command carried out. */
  async settled(): Promise<void> {
    await this.#lines.settled();
    await this.#holding.settled();
    await Promise.all(this.#underWay);
  }

  /**
   * What waits to be stored is not: the platform was not told that we have it, and delivers it again. Nothing more is waited
   * for: what is held stays held.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#holding.stop();
    await this.settled();
  }

  #inLine(place: ChatPlace, act: () => Promise<void>): Promise<void> {
    return this.#lines.run(addressOf(place), async () => {
      if (this.#isStopped) throw new Error("it was not stored before the bot stopped");
      await act();
    });
  }

  async #tell(place: ChatPlace, said: Omit<Said, "address">): Promise<string> {
    const { premises, rules } = this.#needs;
    const prepare = async () => prepareTalk(premises, rules.directive(place));
    const { threadId } = await tellChat(premises.world, { ...said, address: addressOf(place) }, prepare);
    // It is stored, and the platform may know. Whoever cannot be read now is read again with what happens next.
    this.#needs.actors.of(place).catch(() => {});
    return threadId;
  }

  #answer(place: ChatPlace, person: ChatPerson, read: Intake): void {
    if (read.kind === "refused" || read.kind === "unclear") return this.#say(place, person, read.says);
    if (read.kind !== "command") return;
    const says = this.#inOrder(place, () => this.#perform(place, read));
    this.#later(async () => {
      const came = await says;
      const actor = await this.#needs.actors.of(place);
      if (typeof came === "string") await actor.say({ text: came }, person.id);
      else await actor.hand(came, person.id);
    });
  }

  async #perform(
    place: ChatPlace,
    { command, by }: Intake & { kind: "command" },
  ): ReturnType<typeof perform> {
    const { premises, rules, actors } = this.#needs;
    const actor = await actors.of(place);
    return perform(command, {
      ...{ world: premises.world, row: await this.#row(place), state: actor.state, by },
      ...{ via: place.platform, hideCosts: rules.hidesCosts(place) },
      tell: async (text) => {
        const messageId = `${requestIdOf(place, `resume-${premises.world.clock.now()}`)}`;
        await this.#tell(place, { text, by, messageId, steers: false });
      },
    });
  }

  #inOrder<T>(place: ChatPlace, act: () => Promise<T>): Promise<T> {
    const key = addressOf(place);
    const done = (this.#asked.get(key) ?? Promise.resolve()).then(act);
    const over = done
      .catch(() => {}) // whoever asked for it is told why
      .finally(() => {
        if (this.#asked.get(key) === over) this.#asked.delete(key);
      });
    this.#asked.set(key, over);
    return done;
  }

  #say(place: ChatPlace, person: ChatPerson, text: string): void {
    this.#sayTo(place, person.id, text);
  }

  #sayTo(place: ChatPlace, personId: string, text: string): void {
    this.#later(async () => (await this.#needs.actors.of(place)).say({ text }, personId));
  }

  #later(act: () => Promise<void>): void {
    const done = act()
      .catch((error) => this.#needs.trouble(error instanceof Error ? error.message : String(error)))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #row(place: ChatPlace) {
    const { store } = this.#needs.premises.world;
    const [row] = await store.find({ address: addressOf(place), onlyHeads: true, limit: 1 });
    return row;
  }
}

/** Where several people talk, the model is told who says what. */
function speaker({ name }: ChatPerson): string {
  return `[${name}] `;
}
