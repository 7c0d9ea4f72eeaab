/** The port to a chat platform: what comes in from it, what goes out to it, and the manners it asks for. */

/** One conversation at a platform: a direct talk, or one thread of a channel. */
export interface ChatPlace {
  readonly platform: string;
  readonly chat: string;
}

/** Where people write to the thread of a chat. */
export function addressOf({ platform, chat }: ChatPlace): string {
  return `${platform}:${chat}`;
}

/** Undefined: it is no such address. */
export function placeOf(address: string): ChatPlace | undefined {
  const at = address.indexOf(":");
  return at < 0 ? undefined : { platform: address.slice(0, at), chat: address.slice(at + 1) };
}

export interface ChatPerson {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  readonly isSelf: boolean;
}

export interface ChatAttachment {
  readonly name: string;
  readonly type: string;
  readonly bytes?: number | undefined;
  /** Throws when there are more than `limit`. */
  read(limit: number): Promise<Uint8Array>;
}

export interface ChatMessage {
  readonly place: ChatPlace;
  readonly id: string;
  readonly by: ChatPerson;
  readonly text: string;
  readonly at: number;
  readonly isDirect: boolean;
  readonly mentionsUs: boolean;
  readonly attachments: readonly ChatAttachment[];
}

export interface ChatEdit {
  readonly place: ChatPlace;
  readonly id: string;
  readonly by: ChatPerson;
  readonly text: string;
}

/** A button. `id` names the click: said twice, it is the same. */
export interface ChatClick {
  readonly place: ChatPlace;
  readonly id: string;
  readonly by: ChatPerson;
  readonly action: string;
  readonly value: string;
  readonly messageId: string;
}

/** Each resolves when it is stored; only then is the platform told that it was received. */
export interface ChatListener {
  message(message: ChatMessage): Promise<void>;
  edited(edit: ChatEdit): Promise<void>;
  clicked(click: ChatClick): Promise<void>;
}

export interface ChatButton {
  readonly label: string;
  readonly action: string;
  readonly value: string;
  readonly style?: "primary" | "danger";
  readonly confirm?: string;
}

/** Markdown; `mentions` are ids of people who are to be told. */
export interface ChatText {
  readonly text: string;
  readonly buttons?: readonly ChatButton[];
  readonly mentions?: readonly string[];
}

export interface ChatFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface ChatManners {
  readonly editEveryMs: number;
  readonly longestText: number;
  readonly largestFile: number;
}

export interface ChatPlatform {
  readonly name: string;
  readonly manners: ChatManners;
  /** Whether it is the one that speaks in this place of its name; in all of them, when it does not say. */
  speaksIn?(place: ChatPlace): boolean;
  start(listener: ChatListener): Promise<void>;
  stop(): Promise<void>;
  post(place: ChatPlace, said: ChatText): Promise<{ readonly id: string }>;
  edit(place: ChatPlace, messageId: string, said: ChatText): Promise<void>;
  react?(place: ChatPlace, messageId: string, sign: "seen" | "queued", on: boolean): Promise<void>;
  /** Only this person sees it. */
  whisper?(place: ChatPlace, personId: string, said: ChatText): Promise<void>;
  upload?(place: ChatPlace, file: ChatFile, said?: ChatText): Promise<{ readonly id: string }>;
  /** Only this person gets it. */
  hand?(place: ChatPlace, personId: string, file: ChatFile, said?: ChatText): Promise<void>;
  /** Our own messages there since then, the newest first. */
  recent?(
    place: ChatPlace,
    sinceMs: number,
  ): Promise<readonly { readonly id: string; readonly text: string; readonly at: number }[]>;
}
