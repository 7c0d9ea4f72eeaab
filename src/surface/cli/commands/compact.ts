/** `selvage compact`: a person wants a conversation to be made shorter, whatever room there is left. */
import { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import { applyRequests, newRequestId, postInbox, postRequest } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { PATIENCE_MS } from "../hosting.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import type { Session } from "../session.ts";
import { requireSeen, threadObject } from "../thread-object.ts";

export function compactCommand(play: Play): Command {
  return new Command("compact")
    .description("make the conversation of a thread shorter before its next turn")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .action((id: string) => play((session) => compact(session, id)));
}

async function compact(session: Session, id: string): Promise<Answer> {
  const { world } = session.openTrusted();
  const { thread_id: threadId, root_id } = await resolveHead(world.store, id);
  await postInbox(world, await world.store.candidates(root_id));
  const asked = { request_id: newRequestId(world), thread_id: threadId, by: person() };
  const posted = await postRequest(world, { ...asked, kind: "compact" });
  if (!posted.accepted) {
    throw new Problem("E_WRONG_STATE", {
      what: `The conversation of ${threadId} cannot be made shorter: ${posted.why}.`,
      why: "Only a thread that is at work, or suspended, has a next turn. Nothing was written.",
      next: [{ cmd: `selvage show ${threadId}`, why: "its state" }],
      threadId,
    });
  }
  if (!posted.host) await applyRequests(world, threadId, PATIENCE_MS);
  const data = threadObject(await requireSeen(world, threadId));
  const when = posted.host ? "before its next turn" : "when it goes on";
  const text = `The conversation of ${threadId} is made shorter ${when}; the journal keeps all of it.`;
  return { kind: "thread.result", exit: EXIT.ok, data, text };
}
