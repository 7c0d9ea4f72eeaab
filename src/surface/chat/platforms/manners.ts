/**
 * What platforms take. Texts are a little under what each allows: what they are turned into on their way is longer than
 * what was written. Where a place is written to by many, edits are slower than the platform would bear from one.
 */
import type { ChatManners } from "../../../core/chat-platform.ts";

const MIB = 1024 * 1024;

const MANNERS: Readonly<Record<string, ChatManners>> = {
  slack: { editEveryMs: 1_500, longestText: 10_000, largestFile: 100 * MIB },
  discord: { editEveryMs: 2_000, longestText: 1_900, largestFile: 10 * MIB },
  telegram: { editEveryMs: 3_000, longestText: 3_500, largestFile: 45 * MIB },
  teams: { editEveryMs: 2_000, longestText: 20_000, largestFile: 25 * MIB },
  gchat: { editEveryMs: 2_000, longestText: 3_500, largestFile: 25 * MIB },
  whatsapp: { editEveryMs: 3_000, longestText: 3_500, largestFile: 15 * MIB },
};

/** Of a platform that nobody here has met: little, and slowly. */
const CAREFUL: ChatManners = { editEveryMs: 3_000, longestText: 1_900, largestFile: 8 * MIB };

export function mannersOf(platform: string): ChatManners {
  return Object.hasOwn(MANNERS, platform) ? (MANNERS[platform] ?? CAREFUL) : CAREFUL;
}
