// The real Chat SDK with an adapter that has no network.

import { type ChatSdkPlatform, openChatSdk } from "../../src/surface/chat/platforms/chat-sdk.ts";
import { type FakeClock, fakeClock } from "../../src/testing/clock.ts";
import { OFFLINE_BOT, OfflineAdapter, type OfflineEvent, shownText } from "./offline-adapter.ts";
import type { Stage } from "./platform-conformance.ts";

export interface SdkSetting {
  readonly platform: ChatSdkPlatform;
  readonly adapter: OfflineAdapter;
  readonly troubles: string[];
  readonly clock: FakeClock;
  send(event: OfflineEvent): Promise<Response>;
}

export async function sdkSetting(settings: Record<string, unknown> = {}, name?: string): Promise<SdkSetting> {
  const troubles: string[] = [];
  const clock = fakeClock();
  let adapter: OfflineAdapter | undefined;
  const createOfflineAdapter = (given: object) => {
    adapter = new OfflineAdapter(given);
    return adapter;
  };
  const platform = await openChatSdk({
    platform: "offline",
    ...(name !== undefined && { name }),
    settings,
    botName: OFFLINE_BOT,
    clock,
    trouble: (what) => troubles.push(what),
    load: async (name) => (name === "@chat-adapter/offline" ? { createOfflineAdapter } : import(name)),
  });
  if (!adapter) throw new Error("no adapter was made");
  const send = (event: OfflineEvent) =>
    platform.webhook(
      new Request("http://here/chat/offline", { method: "POST", body: JSON.stringify(event) }),
    );
  return { platform, adapter, troubles, clock, send };
}

export async function sdkStage(): Promise<Stage> {
  const { platform, adapter, send } = await sdkSetting();
  const thread = "C1:T1";
  let count = 0;
  const nextId = () => {
    count += 1;
    return `in-${count}`;
  };
  return {
    platform,
    place: { platform: "offline", chat: thread },
    person: "maya",
    ourName: OFFLINE_BOT,
    say: async ({ id = nextId(), text, by = "maya", file }) => {
      const files = file
        ? [{ name: file.name, bytes: file.bytes, ...(file.declared && { size: file.declared }) }]
        : [];
      const { ok } = await send({ type: "message", thread, message: { id, text, by, files } });
      return ok ? "taken" : "not taken";
    },
    sayDirect: (text) =>
      send({ type: "message", thread: "dm-maya", message: { id: nextId(), text, by: "maya" } }),
    change: (id, before, text) => send({ type: "update", thread, message: { id, text, by: "maya", before } }),
    shown: () => adapter.sent.map(({ message }) => shownText(message)),
    click: async (messageId, label) => {
      const { action, value } = button(adapter, messageId, label);
      await send({ type: "click", thread, messageId, action, value, by: "maya" });
    },
    whispered: () => adapter.whispers.map(({ message }) => shownText(message)),
    reactions: () => adapter.reactions,
    close: () => platform.stop(),
  };
}

function button(adapter: OfflineAdapter, messageId: string, label: string) {
  const message = adapter.sent.find(({ id }) => id === messageId)?.message;
  const parts = typeof message === "object" && "card" in message ? message.card.children : [];
  const buttons = parts.flatMap((part) => (part.type === "actions" ? part.children : []));
  const found = buttons.find((one) => one.type === "button" && one.label === label);
  if (found?.type !== "button") throw new Error(`there is no button ${label}`);
  return { action: found.id, value: found.value ?? "" };
}
