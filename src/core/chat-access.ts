/**
 * Who may do what in a chat (K9, E9): by principal, `<platform>:<person id>`. Bots may nothing, and neither may we.
 * A list of `<platform>:*` is everybody there.
 */
import type { ChatPerson } from "./chat-platform.ts";
import type { Narrowing } from "./narrowing.ts";

export type People = "everybody" | readonly string[];

export interface ChatAccess {
  readonly talk: People;
  readonly command: People;
  readonly approve: People;
}
export type ChatDeed = keyof ChatAccess;

/** The terminal of this machine: whoever sits there could do all of it without us. */
export const LOCAL = "local";

export function principalOf(platform: string, { id }: Pick<ChatPerson, "id">): string {
  return `${platform}:${id}`;
}

/** The id by which a platform knows a principal; undefined when it is of another, or nobody's. */
export function personOf(platform: string, principal: string): string | undefined {
  return principal.startsWith(`${platform}:`) ? principal.slice(platform.length + 1) : undefined;
}

export function may(access: ChatAccess, deed: ChatDeed, platform: string, person: ChatPerson): boolean {
  if (person.isBot || person.isSelf) return false;
  const people = access[deed];
  if (people === "everybody") return true;
  // A list that says nothing about this terminal is not about it.
  if (platform === LOCAL && !people.some((entry) => entry.startsWith(`${LOCAL}:`))) return true;
  return people.some((entry) => entry === `${platform}:*` || entry === principalOf(platform, person));
}

/** What a project may do to a list of its user's. */
export const fewer: Narrowing = {
  allows: (below, above) => isWithin(above as People, below as People),
  says: "a project may name fewer people, not more",
};

function isWithin(people: People, most: People): boolean {
  if (most === "everybody") return true;
  if (people === "everybody") return false;
  return people.every((entry) => most.includes(entry) || most.includes(`${entry.split(":", 1)[0]}:*`));
}
