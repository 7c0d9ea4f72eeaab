/**
 * Platforms on their way to listening.
 *   P1. One that cannot be reached is tried again for as long as it takes, and holds up neither the others nor anybody else.
 *   P2. One whose settings it refuses at once is told to whoever starts it.
 *   P3. Nothing goes out to one that does not listen yet: what is said to nobody would count as lost.
 */
import type { ChatListener, ChatPlatform } from "../../core/chat-platform.ts";
import { afterChatStart } from "../../core/chat-start.ts";
import type { Clock } from "../../core/world.ts";

export type PlatformState = "starting" | "listening" | "failing";

export interface StartingNeeds {
  readonly platforms: readonly ChatPlatform[];
  readonly clock: Clock;
  /** For the operator. */
  readonly trouble: (message: string) => void;
}

interface Candidate {
  readonly platform: ChatPlatform;
  readonly up: Promise<void>;
  readonly isUp: () => void;
  state: PlatformState;
}

export class Starting {
  readonly #needs: StartingNeeds;
  readonly #candidates: readonly Candidate[];
  readonly #over = new AbortController();

  constructor(needs: StartingNeeds) {
    this.#needs = needs;
    this.#candidates = needs.platforms.map((platform) => {
      const { promise: up, resolve: isUp } = withResolver();
      return { platform, up, isUp, state: "starting" };
    });
  }

  /** Resolves when that platform listens. */
  async up(name: string): Promise<void> {
    await this.#candidates.find(({ platform }) => platform.name === name)?.up;
  }

  states(): Readonly<Record<string, PlatformState>> {
    return Object.fromEntries(this.#candidates.map(({ platform, state }) => [platform.name, state]));
  }

  /** The first try of each. */
  async begin(listener: ChatListener): Promise<void> {
    const tries = Promise.all(this.#candidates.map((each) => this.#try(each, listener, 0)));
    await Promise.race([tries, aborted(this.#over.signal)]);
  }

  /** What is under way is not waited for: a platform that hangs would hold us up. */
  stop(): void {
    this.#over.abort("stopped");
  }

  async #try(candidate: Candidate, listener: ChatListener, tries: number): Promise<void> {
    const { platform, isUp } = candidate;
    const { signal } = this.#over;
    if (signal.aborted) return;
    try {
      await platform.start(listener);
      // Stopped meanwhile: nobody else would close it.
      if (signal.aborted) return void (await platform.stop());
      candidate.state = "listening";
      isUp();
      if (tries > 0) this.#needs.trouble(`${platform.name} listens now`);
    } catch (error) {
      if (signal.aborted) return;
      const after = afterChatStart(error, tries);
      if (after.next === "end") throw error;
      candidate.state = "failing";
      this.#needs.trouble(`${platform.name} is tried again in ${after.afterMs / 1_000} s: ${whyOf(error)}`);
      void this.#again(candidate, listener, { tries: tries + 1, afterMs: after.afterMs });
    }
  }

  /** Throws nothing: only the first try may end anything. */
  async #again(
    candidate: Candidate,
    listener: ChatListener,
    { tries, afterMs }: { readonly tries: number; readonly afterMs: number },
  ): Promise<void> {
    const { signal } = this.#over;
    await this.#needs.clock.sleep(afterMs, signal);
    if (!signal.aborted) await this.#try(candidate, listener, tries);
  }
}

function whyOf(error: unknown): string {
  const { message, why } = error as { readonly message?: string; readonly why?: string };
  return [message, why].filter((part) => part !== undefined && part !== "").join(": ") || String(error);
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
