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
import { knownMessage } from "../../core/chat-state.ts";
import { type Said, tellChat } from "../../runtime/index.ts";
import type { Premises } from "../sdk/premises.ts";
import type { Actors } from "./actors.ts";
import { prepareTalk } from "./beginning.ts";
import { Holding } from "./holding.ts";
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
  readonly #holding: Holding;
  readonly #underWay = new Set<Promise<void>>();

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

  /** Nothing more is waited for: what is held stays held. */
  async stop(): Promise<void> {
    this.#holding.stop();
    await this.settled();
  }

  async message(message: ChatMessage): Promise<void> {
    const { place, id, by: person } = message;
    const isOurs = (await this.#row(place)) !== undefined;
    const read = intake(message, { isOurs, access: this.#needs.rules.access(place) });
    if (read.kind === "steering" || read.kind === "message") {
      const text = message.isDirect ? read.text : `${speaker(person)}${read.text}`;
      const messageId = requestIdOf(place, id);
      const said = { text, by: read.by, messageId, steers: read.kind === "steering" };
      if (!this.#holding.takes(message, said)) await this.#tell(place, said);
      return;
    }
    this.#answer(place, person, read);
  }

  async edited(edit: ChatEdit): Promise<void> {
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

  /** Until every command that was taken in is carried out. */
  async settled(): Promise<void> {
    await this.#holding.settled();
    await Promise.all(this.#underWay);
  }

  async #tell(place: ChatPlace, said: Omit<Said, "address">): Promise<string> {
    const { premises, rules } = this.#needs;
    const prepare = async () => prepareTalk(premises, rules.directive(place));
    const { threadId } = await tellChat(premises.world, { ...said, address: addressOf(place) }, prepare);
    await this.#needs.actors.of(place);
    return threadId;
  }

  #answer(place: ChatPlace, person: ChatPerson, read: Intake): void {
    if (read.kind === "refused" || read.kind === "unclear") return this.#say(place, person, read.says);
    if (read.kind !== "command") return;
    const { premises, rules, actors } = this.#needs;
    this.#later(async () => {
      const actor = await actors.of(place);
      const came = await perform(read.command, {
        ...{ world: premises.world, row: await this.#row(place), state: actor.state, by: read.by },
        ...{ via: place.platform, hideCosts: rules.hidesCosts(place) },
        tell: async (text) => {
          const messageId = `${requestIdOf(place, `resume-${premises.world.clock.now()}`)}`;
          await this.#tell(place, { text, by: read.by, messageId, steers: false });
        },
      });
      if (typeof came === "string") await actor.say({ text: came }, person.id);
      else await actor.hand(came, person.id);
    });
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

/** Short, and the same for the same words. */
function hashOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(36);
}
