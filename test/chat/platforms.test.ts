// One suite, three platforms: in memory, between two streams, and behind the real Chat SDK.

import { fakeClock } from "../../src/testing/clock.ts";
import { FakePlatform, MAYA } from "./fake-platform.ts";
import { localStage } from "./local-stage.ts";
import { describePlatform, type Stage } from "./platform-conformance.ts";
import { sdkStage } from "./sdk-stage.ts";

async function fakeStage(): Promise<Stage> {
  const platform = new FakePlatform(fakeClock());
  const chat = "C1";
  const texts = (verb: string) => platform.sent.filter((sent) => sent.verb === verb).map(({ text }) => text);
  return {
    platform,
    place: { platform: "fake", chat },
    person: MAYA.id,
    ourName: "selvage",
    say: ({ text, id, by, file }) =>
      platform
        .say(chat, text, {
          ...(id !== undefined && { id }),
          ...(by !== undefined && { by: { id: by, name: by, isBot: true, isSelf: by === "selvage" } }),
          ...(file && { attachments: [attachment(file)] }),
        })
        .then(
          () => "taken" as const,
          () => "not taken" as const,
        ),
    sayDirect: (text) => platform.say("D1", text, { isDirect: true }),
    change: async (id, before, text) => {
      if (before !== text) await platform.change(chat, id, MAYA, text);
    },
    shown: () => platform.shown,
    click: (messageId, label) => platform.click(chat, messageId, label),
    whispered: () => texts("whisper"),
    reactions: () => texts("react"),
    close: () => platform.stop(),
  };
}

function attachment({ name, bytes, declared }: { name: string; bytes: number; declared?: number }) {
  return {
    name,
    type: "text/plain",
    bytes: declared,
    read: async (limit: number) => {
      if (bytes > limit) throw new Error(`more than ${limit} bytes`);
      return new Uint8Array(bytes);
    },
  };
}

const ALL = ["channels", "again", "files", "changes", "whispers", "signs", "memory"] as const;

describePlatform("a platform in memory", fakeStage, ALL);
describePlatform("the embedded platform", localStage, ["whispers"]);
describePlatform("the Chat SDK", sdkStage, ALL);
