/** The rights of a thread as they count now: what was taken away counts once it is stored, before the thread takes it down. */
import { type Rights, withoutRights } from "../../core/rights.ts";
import type { Seen } from "./thread-object.ts";

export function rightsNow({ thread, sighting }: Seen): Rights {
  return sighting.requests.reduce(
    (rights, request) =>
      request.kind === "revoke"
        ? withoutRights(
            rights,
            request.rights.map((right) => ({
              right,
              by: request.by,
              from: request.from ?? request.thread_id,
            })),
          )
        : rights,
    thread.rights,
  );
}
