/** Who asks: recorded with every request. */
import { hostname, userInfo } from "node:os";

export function person(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A container may run a user id that has no name.
    return `uid-${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
