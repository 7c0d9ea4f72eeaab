/** What a session needs of the project that it is in. */
import type { World } from "../../core/world.ts";
import type { Wishes } from "../../runtime/index.ts";
import type { Feed } from "../sdk/feed.ts";
import type { ThreadHandle } from "../sdk/handle.ts";
import type { Premises } from "../sdk/premises.ts";
import type { PromptStart } from "../sdk/start.ts";

export interface SessionNeeds {
  readonly world: World;
  readonly feed: Feed;
  readonly premises: Premises;
  start(options: PromptStart, wishes: Wishes): Promise<ThreadHandle>;
  handle(threadId: string): ThreadHandle;
  /** Throws a Problem when the project is closed. */
  requireOpen(): void;
}
