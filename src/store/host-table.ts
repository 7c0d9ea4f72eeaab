/** Who hosts what: one row for each process that does, written when it begins and gone when it leaves. */
import type { Enrolled, HostRow } from "../core/store.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";
import type { StoreNeeds } from "./stores/needs.ts";

export function enroll(
  connection: Connection,
  needs: StoreNeeds,
  host: HostRow,
  how: "join" | "replace",
): Enrolled {
  for (const other of readHosts(connection)) {
    if (needs.ownerState(other.owner) === "dead" || (how === "replace" && other.scope === host.scope)) {
      removeHost(connection, other.host_id);
    } else if (other.scope === host.scope || other.scope === "*") {
      return { enrolled: false, by: other };
    }
  }
  const { host_id, owner, socket, scope, beats } = host;
  connection
    .statement("INSERT INTO hosts (host_id, owner, socket, scope, beats) VALUES (?, ?, ?, ?, ?)")
    .run(host_id, owner, socket, scope, beats);
  return { enrolled: true };
}

export function removeHost(connection: Connection, hostId: string): void {
  connection.statement("DELETE FROM hosts WHERE host_id = ?").run(hostId);
}

export function readHosts(connection: Connection): HostRow[] {
  return connection.statement("SELECT host_id, owner, socket, scope, beats FROM hosts").all().map(toHost);
}

function toHost(found: Row): HostRow {
  const socket = found["socket"];
  return {
    host_id: String(found["host_id"]),
    owner: String(found["owner"]),
    socket: socket === null || socket === undefined ? null : String(socket),
    scope: String(found["scope"]),
    beats: Number(found["beats"]),
  };
}

export function liveHost(connection: Connection, needs: StoreNeeds, rootId: string): HostRow | undefined {
  const live = (scope: string) =>
    readHosts(connection).find((host) => host.scope === scope && needs.ownerState(host.owner) !== "dead");
  return live(rootId) ?? live("*");
}
