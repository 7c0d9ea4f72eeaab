/**
 * Messages with files, until the files are here (core/chat-files.ts, H1–H3).
 *   G1. In one place messages keep their order: what comes after one that is held is held too. Commands and steering are not
 *       messages of this kind, and wait for nobody.
 *   G2. Of one file at a time there are bytes in memory, and no more than are allowed of one.
 *   G3. A file that does not come is named to who sent it; the message goes on.
 */

import { type AttachedFile, LONGEST_SHOWN, withAttachments } from "../../core/chat-attached.ts";
import {
  type AttachmentLimits,
  isText,
  isWhatItSays,
  mostBytes,
  planAttachments,
} from "../../core/chat-attachment.ts";
import type { ChatFiles, HeldMessage } from "../../core/chat-files.ts";
import {
  addressOf,
  type ChatAttachment,
  type ChatMessage,
  type ChatPlace,
} from "../../core/chat-platform.ts";
import { refusedFile } from "../../core/chat-texts.ts";
import type { World } from "../../core/world.ts";
import type { Said } from "../../runtime/index.ts";

type ToTell = Omit<Said, "address">;

export interface HoldingNeeds {
  readonly world: Pick<World, "clock" | "machine" | "sha256">;
  readonly files: ChatFiles | undefined;
  readonly limits: AttachmentLimits;
  /** Resolves with the thread that has it. */
  readonly tell: (place: ChatPlace, said: ToTell) => Promise<string>;
  readonly say: (place: ChatPlace, personId: string, text: string) => void;
  readonly trouble: (message: string) => void;
}

/** For one file, and for all of a message: somebody waits for an answer. */
const FILE_MS = 30_000;
const MESSAGE_MS = 90_000;
const AGAIN_MS = 1_000;
const LONGEST_MS = 60_000;
/** Longer nobody is kept from talking by what a process before this one held: what comes in waits behind it. */
const BEGIN_MS = 10_000;

const NOT_WHAT_IT_SAYS = "it is not what its type says";
const TOO_SLOW = "it took too long";
const RESTARTED = "I was restarted before it was here";

export class Holding {
  readonly #needs: HoldingNeeds;
  readonly #lines = new Map<string, Promise<void>>();
  /** Those that are not handed over yet, as they are now; one that is just being handed over has no words to change. */
  readonly #held = new Map<string, HeldMessage | "on its way">();
  readonly #over = new AbortController();
  #count = 0;

  constructor(needs: HoldingNeeds) {
    this.#needs = needs;
  }

  /** Whether it is held: durably when this returns. Else it is told at once, as everything without files is. */
  takes(
    message: ChatMessage,
    { text, by, messageId, steers = false }: ToTell & { readonly text: string },
  ): boolean {
    const { files, limits, world } = this.#needs;
    const { place, attachments, by: person } = message;
    const isBehind = !steers && this.#lines.has(addressOf(place));
    if (!files && attachments.length > 0)
      this.#needs.say(place, person.id, attachments.map(nowhere).join("\n"));
    if (!files || (attachments.length === 0 && !isBehind)) return false;
    const { read, refused } = planAttachments(attachments, limits);
    const key = this.#keyOf(messageId);
    // Delivered again while it is held: it is the same.
    if (this.#held.has(key)) return true;
    this.#count += 1;
    const held: HeldMessage = {
      ...{ key, owner: world.machine.owner, place, messageId, personId: person.id, by, text, steers },
      ...{ at: world.clock.now(), n: this.#count, refused },
      files: read.map(({ at, name }) => fileOf(name, attachments[at])),
    };
    files.hold(held);
    this.#follow(held, () =>
      this.#load(
        files,
        held,
        read.flatMap(({ at }) => attachments[at] ?? []),
      ),
    );
    return true;
  }

  /** Takes up what was held by one that is gone, also in this process. Its files that are not here cannot be asked for any more. */
  async begin(speaksIn: (place: ChatPlace) => boolean): Promise<void> {
    const { files, world } = this.#needs;
    for (const held of files?.held() ?? []) {
      const isLeft = held.owner === world.machine.owner || world.machine.ownerState(held.owner) === "dead";
      if (speaksIn(held.place) && isLeft && !this.#held.has(held.key))
        this.#follow(held, async () => new Map());
    }
    const over = new AbortController();
    await Promise.race([this.settled(), world.clock.sleep(BEGIN_MS, over.signal)]);
    over.abort("begun");
  }

  /**
   * Other words for one that is held: durably when this resolves. `words` is asked for them with what it says, and may
   * have none. False: it is not held, or not any more.
   */
  async amend(
    place: ChatPlace,
    messageId: string,
    words: (text: string) => string | undefined,
  ): Promise<boolean> {
    const key = this.#keyOf(messageId);
    const held = this.#held.get(key);
    if (held === "on its way") await this.#lines.get(addressOf(place));
    if (!held || held === "on its way") return false;
    const text = words(held.text);
    if (text === undefined) return true;
    const amended = { ...held, text };
    this.#needs.files?.hold(amended);
    this.#held.set(key, amended);
    return true;
  }

  #keyOf(messageId: string): string {
    return this.#needs.world.sha256(messageId).slice(0, 24);
  }

  async settled(): Promise<void> {
    while (this.#lines.size > 0) await Promise.all(this.#lines.values());
  }

  stop(): void {
    this.#over.abort("stopped");
  }

  /** G1. */
  #follow(held: HeldMessage, load: () => Promise<ReadonlyMap<string, string>>): void {
    const address = addressOf(held.place);
    this.#held.set(held.key, held);
    const line = (this.#lines.get(address) ?? Promise.resolve())
      .then(async () => this.#hand(held.key, await load()))
      .catch((error) => this.#needs.trouble(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        this.#held.delete(held.key);
        if (this.#lines.get(address) === line) this.#lines.delete(address);
      });
    this.#lines.set(address, line);
  }

  /** G2, G3. Why those that are not here are not, by name. */
  async #load(
    files: ChatFiles,
    held: HeldMessage,
    attachments: readonly ChatAttachment[],
  ): Promise<ReadonlyMap<string, string>> {
    const { clock } = this.#needs.world;
    const until = clock.monotonic() + MESSAGE_MS;
    const missing = new Map<string, string>();
    for (const [at, { name }] of held.files.entries()) {
      const attachment = attachments[at];
      if (this.#over.signal.aborted || !attachment) break;
      const left = Math.min(FILE_MS, until - clock.monotonic());
      const why = left > 0 ? await this.#keep(files, held.key, name, attachment, left) : TOO_SLOW;
      if (why !== undefined) missing.set(name, why);
    }
    return missing;
  }

  async #keep(
    files: ChatFiles,
    key: string,
    name: string,
    attachment: ChatAttachment,
    ms: number,
  ): Promise<string | undefined> {
    const most = mostBytes(this.#needs.limits);
    const bytes = await this.#inTime(attachment, most, ms);
    if (typeof bytes === "string") return bytes;
    if (bytes.length > most) return `limit is ${this.#needs.limits.max_mb} MB`;
    if (!isWhatItSays(attachment.type, bytes)) return NOT_WHAT_IT_SAYS;
    try {
      await files.keep(key, name, bytes);
      return undefined;
    } catch (error) {
      this.#needs.trouble(`an attachment could not be written: ${(error as Error).message}`);
      return "it could not be written";
    }
  }

  /** Its bytes, or why there are none. What a platform says of its failures is for the operator. */
  async #inTime(attachment: ChatAttachment, most: number, ms: number): Promise<Uint8Array | string> {
    const done = new AbortController();
    const signal = AbortSignal.any([this.#over.signal, done.signal]);
    const late = this.#needs.world.clock.sleep(ms, signal).then(() => TOO_SLOW);
    const read = attachment.read(most).catch((error: unknown) => {
      this.#needs.trouble(
        `an attachment could not be read: ${error instanceof Error ? error.message : error}`,
      );
      return "it could not be loaded";
    });
    try {
      return await Promise.race([read, late]);
    } finally {
      done.abort();
    }
  }

  /** H2. */
  async #hand(key: string, missing: ReadonlyMap<string, string>): Promise<void> {
    const { files, say } = this.#needs;
    const held = this.#held.get(key);
    if (!files || !held || held === "on its way" || this.#over.signal.aborted) return;
    this.#held.set(key, "on its way");
    const { place, personId } = held;
    let refused: readonly string[] = held.refused;
    let isMade = held.handedTo !== undefined;
    const text = (threadId: string): string => {
      isMade = true;
      const made = attachedTo(files, held, threadId);
      refused = [...held.refused, ...refusals(held, made, missing)];
      return withAttachments(held.text, made, refused);
    };
    const threadId = await this.#told(held, text);
    if (threadId === undefined) return;
    // It was stored before, and its files were not moved: what names them names them there.
    if (!isMade) files.hand(key, threadId);
    files.drop(key);
    if (refused.length > 0) say(place, personId, refused.join("\n"));
  }

  /** The platform was told that we have it: it is tried again until it is stored. Undefined: we stop. */
  async #told(held: HeldMessage, text: (threadId: string) => string): Promise<string | undefined> {
    const { tell, trouble, world } = this.#needs;
    const { place, by, messageId, steers } = held;
    for (let pauseMs = AGAIN_MS; !this.#over.signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_MS)) {
      try {
        return await tell(place, { text, by, messageId, steers });
      } catch (error) {
        trouble(error instanceof Error ? error.message : String(error));
        await world.clock.sleep(pauseMs, this.#over.signal);
      }
    }
    return undefined;
  }
}

function nowhere({ name, type, bytes }: ChatAttachment): string {
  return refusedFile({ name, type, bytes, isTypeOff: false, why: "there is nowhere to keep it" });
}

function fileOf(name: string, attachment: ChatAttachment | undefined): HeldMessage["files"][number] {
  return { name, said: attachment?.name ?? name, type: attachment?.type ?? "" };
}

function attachedTo(files: ChatFiles, held: HeldMessage, threadId: string): AttachedFile[] {
  const { folder, files: kept } = files.hand(held.key, threadId);
  return held.files.flatMap(({ name, type }) => {
    const found = kept.find((file) => file.name === name);
    if (!found) return [];
    const isShown = isText(type) && found.bytes <= LONGEST_SHOWN * 4;
    const text = isShown ? files.text(folder, name) : undefined;
    return [{ name, type, bytes: found.bytes, path: `${folder}/${name}`, text }];
  });
}

function refusals(
  { files }: HeldMessage,
  made: readonly AttachedFile[],
  missing: ReadonlyMap<string, string>,
): string[] {
  return files
    .filter(({ name }) => !made.some((file) => file.name === name))
    .map(({ name, said, type }) =>
      refusedFile({ name: said, type, isTypeOff: false, why: missing.get(name) ?? RESTARTED }),
    );
}
