/**
 * Takes in what a platform tells: decides what it is, stores it, and returns. Nothing else happens before the platform is
 * told that it was received; commands are carried out after that.
 */
import { clicked, edited, type Intake, intake, requestIdOf } from "../../core/chat-intake.ts";
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
import { knownMessage } from "../../core/chat-state.ts";
import { type Said, tellChat } from "../../runtime/index.ts";
import type { Premises } from "../sdk/premises.ts";
import type { Actors } from "./actors.ts";
import { prepareTalk } from "./beginning.ts";
import { Lines } from "./lines.ts";
import { perform } from "./performing.ts";
import type { ChatRules } from "./rules.ts";

export interface RouterNeeds {
  readonly premises: Premises;
  readonly rules: ChatRules;
  readonly actors: Actors;
  readonly trouble: (message: string) => void;
}

export class ChatRouter implements ChatListener {
  readonly #needs: RouterNeeds;
  readonly #underWay = new Set<Promise<void>>();
  /** By chat: one that floods us has its messages stored one by one, and the others theirs between them. */
  readonly #lines = new Lines(1);
  #isStopped = false;

  constructor(needs: RouterNeeds) {
    this.#needs = needs;
  }

  message(message: ChatMessage): Promise<void> {
    return this.#inLine(message.place, () => this.#message(message));
  }

  async #message(message: ChatMessage): Promise<void> {
    const { place, id, by: person } = message;
    const isOurs = (await this.#row(place)) !== undefined;
    const read = intake(message, { isOurs, access: this.#needs.rules.access(place) });
    if (read.kind === "steering" || read.kind === "message") {
      const text = message.isDirect ? read.text : `${speaker(person)}${read.text}`;
      await this.#tell(place, {
        text,
        by: read.by,
        messageId: requestIdOf(place, id),
        steers: read.kind === "steering",
      });
      return;
    }
    this.#answer(place, person, read);
  }

  /** After the message that it changes. */
  edited(edit: ChatEdit): Promise<void> {
    return this.#inLine(edit.place, () => this.#edited(edit));
  }

  async #edited(edit: ChatEdit): Promise<void> {
    const actor = await this.#needs.actors.of(edit.place);
    const state = actor?.state;
    const read = edited(edit, (requestId) => {
      const known = state && knownMessage(state, requestId);
      const name = speaker(edit.by);
      // As it was said: a preview that comes as an edit changes no word of it.
      return known?.text.startsWith(name) ? { ...known, text: known.text.slice(name.length) } : known;
    });
    // Nobody can take back what is stored: the first version counts, and that is said.
    if (read.kind === "too_late") this.#say(edit.place, edit.by, read.says);
    if (read.kind === "replaced")
      await this.#tell(edit.place, {
        ...{ by: read.by, steers: false, messageId: `${read.requestId}~${hashOf(read.text)}` },
        text: `(The message before this was changed. It says now:)\n${read.text}`,
      });
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
    await Promise.all(this.#underWay);
  }

  /** What waits to be stored is not: the platform was not told that we have it, and delivers it again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.settled();
  }

  #inLine(place: ChatPlace, act: () => Promise<void>): Promise<void> {
    return this.#lines.run(addressOf(place), async () => {
      if (this.#isStopped) throw new Error("it was not stored before the bot stopped");
      await act();
    });
  }

  async #tell(place: ChatPlace, said: Omit<Said, "address">): Promise<void> {
    const { premises, rules } = this.#needs;
    const prepare = async () => prepareTalk(premises, rules.directive(place));
    await tellChat(premises.world, { ...said, address: addressOf(place) }, prepare);
    // It is stored, and the platform may know. Whoever cannot be read now is read again with what happens next.
    this.#needs.actors.of(place).catch(() => {});
  }

  #answer(place: ChatPlace, person: ChatPerson, read: Intake): void {
    if (read.kind === "refused" || read.kind === "unclear") return this.#say(place, person, read.says);
    if (read.kind !== "command") return;
    const { premises, rules, actors } = this.#needs;
    this.#later(async () => {
      const actor = await actors.of(place);
      const says = await perform(read.command, {
        ...{ world: premises.world, row: await this.#row(place), state: actor.state, by: read.by },
        ...{ via: place.platform, hideCosts: rules.hidesCosts(place) },
        tell: (text) => {
          const messageId = `${requestIdOf(place, `resume-${premises.world.clock.now()}`)}`;
          return this.#tell(place, { text, by: read.by, messageId, steers: false });
        },
      });
      await actor.say({ text: says }, person.id);
    });
  }

  #say(place: ChatPlace, person: ChatPerson, text: string): void {
    this.#later(async () => (await this.#needs.actors.of(place)).say({ text }, person.id));
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

/** Short, and the same for the same words. */
function hashOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(36);
}
