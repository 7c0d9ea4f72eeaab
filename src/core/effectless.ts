/** The facts that an action comes to when nothing has to be done for it outside. */
import type { Stop } from "./cascade.ts";
import type { Action, Moment } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import { isoTime } from "./iso-time.ts";
import { renewed, takenUp } from "./last-said.ts";
import { pastFailure } from "./past-failure.ts";
import { messageStopped } from "./stop.ts";
import { type Thread, workedMs } from "./thread.ts";
import { joined, waitedAgain, waitFinished } from "./waiting.ts";

export interface Following {
  readonly events: readonly NewEvent[];
  readonly stops?: readonly Stop[];
}

export function effectless(action: Action, thread: Thread, moment: Moment): Following | undefined {
  switch (action.type) {
    case "finish_step":
      return { events: [{ type: "step_finish", turn: action.turn, duration_ms: atWork(thread, moment) }] };
    case "follow_up": {
      const { said } = action;
      const past = pastFailure(thread, atWork(thread, moment));
      return { events: [...past, ...renewed(thread, said.request_id, moment), takenUp(said)] };
    }
    case "answered": {
      const { answering } = thread;
      const to = answering === undefined ? {} : { for: answering };
      return { events: [{ type: "message_answered", ...to, text: action.text }] };
    }
    case "halt":
      return { events: [messageStopped(thread)] };
    case "complete": {
      const { returned } = thread;
      const outputs = returned ? { outputs: returned } : {};
      return { events: [{ type: "thread_completed", text: action.text, ...outputs }] };
    }
    case "finish_wait":
      return waitFinished(thread, action.end);
    case "wait_again":
      return { events: [waitedAgain(thread)] };
    case "join":
      return joined(thread);
    case "end":
      return { events: [action.end] };
    default:
      return undefined;
  }
}

function atWork(thread: Thread, moment: Moment): number {
  return Math.max(0, Math.round(moment.workedMs ?? workedMs(thread, isoTime(moment.now))));
}
