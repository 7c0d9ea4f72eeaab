/** Who hosts a project, for people and programs. */
import type { HostRow } from "../../core/store.ts";
import { addressOf } from "../host/project-host.ts";
import { age } from "./moment.ts";
import { ownerName, ownerShown } from "./owner.ts";

/** `pid 4312 (selvage serve, up 3h)`. */
export function hostName(root: string, host: HostRow, now: number): string {
  const address = addressOf(root, host);
  const chat = address?.chat ? `, chat: ${address.chat.join(" ")}` : "";
  const what = address ? `selvage serve, up ${age(now - Date.parse(address.since))}${chat}` : "a program";
  return `${ownerName(host.owner)} (${what})`;
}

export function hostedBy(root: string, host: HostRow, now: number): string {
  return `${hostName(root, host, now)} hosts it`;
}

export function hostObject(root: string, host: HostRow | undefined) {
  if (!host) return null;
  const address = addressOf(root, host);
  const { pid, boot } = ownerShown(host.owner);
  return {
    ...{ pid, boot, kind: address ? "serve" : "program" },
    ...{ since: address?.since ?? null, version: address?.version ?? null },
    chat: address?.chat ?? null,
  };
}
