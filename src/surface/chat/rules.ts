/** What a project says about its chats, as the bot needs it. */
import type { ChatAccess } from "../../core/chat-access.ts";
import type { AttachmentLimits } from "../../core/chat-attachment.ts";
import { type ChatSchedule, type ChatSettings, chatAt } from "../../core/chat-file.ts";
import { addressOf, type ChatPlace } from "../../core/chat-platform.ts";

/** As chat.yaml says it, at the start: who changes it starts again. */
export function rulesOf(settings: ChatSettings): ChatRules {
  const { talk, command, approve } = settings;
  return {
    access: () => ({ talk, command, approve }),
    directive: (place) => chatAt(settings, addressOf(place)).directive,
    hidesCosts: (place) => chatAt(settings, addressOf(place)).hide_costs,
    showsProgress: (place) => chatAt(settings, addressOf(place)).progress,
    attachments: settings.attachments,
    idleMs: settings.idle_minutes * 60_000,
    lateMs: settings.late_seconds * 1_000,
    schedules: settings.schedules,
  };
}

export interface ChatRules {
  readonly access: (place: ChatPlace) => ChatAccess;
  /** The directive of a new talk there. */
  readonly directive: (place: ChatPlace) => string;
  readonly hidesCosts: (place: ChatPlace) => boolean;
  readonly showsProgress: (place: ChatPlace) => boolean;
  readonly attachments: AttachmentLimits;
  /** An actor with nothing to do is let go after this. */
  readonly idleMs: number;
  /** What was sent by a process that died may arrive so much later. */
  readonly lateMs: number;
  /** Prompts that come by themselves. */
  readonly schedules: readonly ChatSchedule[];
}
