/** Commands of the family that make no sense here: each says why, and what does it instead. */
import { Problem } from "../../core/problem.ts";

export function refused(
  what: string,
  why: string,
  next: readonly { cmd: string; why: string }[] = [],
): never {
  throw new Problem("E_UNSUPPORTED", { what, why, next });
}

export function noImages(images: readonly unknown[] | undefined): void {
  if (images === undefined || images.length === 0) return;
  refused("Images are not taken.", "Models are asked in text alone. Nothing was written.");
}

const FORK = [{ cmd: 'selvage fork ID --turn N -m "…"', why: "makes one; switch_session takes it up" }];

export const REFUSALS = {
  set_thinking_level: () =>
    refused("There are no thinking levels here.", "A model thinks as its provider has it think."),
  bash: () =>
    refused("Commands are not run for a session.", "Threads run them, with the rights and walls they have.", [
      { cmd: "prompt", why: "a session with the right execute.tool.bash" },
    ]),
  abort_bash: () => refused("No command runs for a session.", "Threads run them: abort ends theirs."),
  export_html: () =>
    refused("There is no HTML to export.", "Journals are written as JSON lines and Markdown.", [
      { cmd: "selvage export ID --files", why: "writes them" },
    ]),
  fork: () => refused("A session is not forked here.", "A fork begins with something to do.", FORK),
  clone: () => refused("A session is not cloned here.", "A fork begins with something to do.", FORK),
  get_fork_messages: () =>
    refused("Messages are no places to fork at.", "A fork begins after a turn, with something to do.", FORK),
  set_session_name: () =>
    refused("A session has no name of its own.", "It is called by the id of any of its threads."),
} as const;
