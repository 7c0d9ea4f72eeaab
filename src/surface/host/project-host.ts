/** The process that hosts everything in a project, if there is one (R2). Everybody else is its client. */
import type { HostRow } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { type Address, readAddress } from "./address.ts";
import { askHost } from "./client.ts";
import type { Response } from "./protocol.ts";

export async function projectHost({ store, machine }: World): Promise<HostRow | undefined> {
  const hosts = await store.hosts();
  return hosts.find(({ scope, owner }) => scope === "*" && machine.ownerState(owner) !== "dead");
}

/** Undefined: it is no `selvage serve`, but a program that has the project open. */
export function addressOf(root: string, { owner }: HostRow): Address | undefined {
  const address = readAddress(root);
  return address?.owner === owner ? address : undefined;
}

export async function askProjectHost(
  root: string,
  host: HostRow,
  command: Parameters<typeof askHost>[1],
): Promise<Response | undefined> {
  const address = addressOf(root, host);
  return address && askHost(address.socket, command);
}
