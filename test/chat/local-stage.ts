// The embedded platform between a keyboard and a screen that tests hold in their hands.

import { LocalPlatform } from "../../src/surface/chat/platforms/local.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import type { Stage } from "./platform-conformance.ts";

class Keyboard implements AsyncIterable<Uint8Array> {
  readonly #pieces: {
    readonly bytes: Uint8Array;
    readonly done: () => void;
    readonly lost: (error: Error) => void;
  }[] = [];
  #handled = () => {};
  #asked: (() => void) | undefined;
  #isOver = false;

  /** Resolves when whoever reads has dealt with it: they ask for more. */
  type(text: string): Promise<void> {
    if (this.#isOver) return Promise.reject(new Error("nobody reads"));
    return new Promise((resolve, reject) => {
      this.#pieces.push({ bytes: Buffer.from(text), done: resolve, lost: reject });
      this.#asked?.();
    });
  }

  end(): void {
    this.#isOver = true;
    this.#asked?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        this.#handled();
        while (this.#pieces.length === 0 && !this.#isOver) {
          await new Promise<void>((resolve) => {
            this.#asked = resolve;
          });
        }
        const piece = this.#pieces.shift();
        if (!piece) return { done: true, value: undefined };
        this.#handled = piece.done;
        return { done: false, value: piece.bytes };
      },
      return: async () => {
        this.#isOver = true;
        for (const { lost } of this.#pieces.splice(0)) lost(new Error("nobody reads"));
        return { done: true, value: undefined };
      },
    };
  }
}

/** Obeys two sequences: so many rows up, and clear from there. */
class Screen {
  readonly columns = 40;
  readonly rows = 24;
  lines: string[] = [];
  raw = "";

  write(text: string): void {
    this.raw += text;
    const [, up, rest = text] = /^\u001b\[(\d+)A\u001b\[J([\s\S]*)$/.exec(text) ?? [];
    for (let rows = Number(up ?? 0); rows > 0; ) rows -= rowsOf(this.lines.pop() ?? "", this.columns);
    this.lines.push(...rest.replace(/\n$/, "").split("\n"));
  }
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(line.length / columns));
}

export function localSetting(isTerminal: boolean) {
  const keyboard = new Keyboard();
  const screen = new Screen();
  const platform = new LocalPlatform({
    input: keyboard,
    output: screen,
    isTerminal,
    clock: fakeClock(),
    random: (bytes) => Buffer.alloc(bytes, 7),
    person: "maya",
  });
  return { keyboard, screen, platform };
}

const BUTTON = /^ {2}\[(\d+)\] (.*)$/;

export async function localStage(): Promise<Stage> {
  const { keyboard, screen, platform } = localSetting(true);
  const cards: string[] = [];
  const whispers: string[] = [];
  const spoken = {
    ...bound(platform),
    whisper: async (...said: Parameters<LocalPlatform["whisper"]>) => {
      const before = screen.lines.length;
      await platform.whisper(...said);
      whispers.push(...screen.lines.splice(before));
    },
  };
  return {
    platform: spoken,
    place: { platform: "local", chat: "terminal" },
    person: "maya",
    say: async ({ text }) => {
      const before = screen.lines.length;
      await keyboard.type(`${text}\n`);
      return screen.lines.slice(before).some((line) => line.startsWith("! That was not stored"))
        ? "not taken"
        : "taken";
    },
    shown: () => screen.lines.filter((line) => !BUTTON.test(line)),
    click: async (messageId, label) => {
      if (!cards.includes(messageId)) cards.push(messageId);
      const found = screen.lines.map((line) => BUTTON.exec(line)).filter((match) => match?.[2] === label);
      const number = found[cards.indexOf(messageId)]?.[1];
      if (number === undefined) throw new Error(`there is no button ${label}`);
      await keyboard.type(`${number}\n`);
    },
    close: async () => {
      keyboard.end();
      await platform.stop();
    },
    whispered: () => whispers,
  };
}

/** The same platform with its methods as plain functions, so that one can be watched. */
function bound(platform: LocalPlatform) {
  return {
    name: platform.name,
    manners: platform.manners,
    start: platform.start.bind(platform),
    stop: platform.stop.bind(platform),
    post: platform.post.bind(platform),
    edit: platform.edit.bind(platform),
  };
}
