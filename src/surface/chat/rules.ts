/** What a project says about its chats, as the bot needs it. */
import type { ChatAccess } from "../../core/chat-access.ts";
import type { ChatPlace } from "../../core/chat-platform.ts";

export interface ChatRules {
  readonly access: (place: ChatPlace) => ChatAccess;
  /** The directive of a new talk there. */
  readonly directive: (place: ChatPlace) => string;
  readonly hidesCosts: (place: ChatPlace) => boolean;
  readonly showsProgress: boolean;
  /** An actor with nothing to do is let go after this. */
  readonly idleMs: number;
}
