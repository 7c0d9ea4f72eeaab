/** The question of the demo: a person may answer it; where nobody is, or nobody answers, it is a yes, and says so. */
import type { Approval } from "../../../core/approval.ts";
import { parseDollars } from "../../../core/money.ts";
import { dollars } from "./narration.ts";
import type { Stage } from "./stage.ts";

/** What is handed to the command line. */
type Verdict = readonly string[];

const PATIENCE_MS = 5_000;

export async function answerOf(stage: Stage, approval: Approval, patienceMs = PATIENCE_MS): Promise<Verdict> {
  const { approval_id: id } = approval;
  const yes = ["approve", id];
  const asked = `? Approve ${askedText(approval)}?`;
  if (!stage.keys) {
    stage.say(`${asked}   nobody is here to ask: yes (in the demo only; elsewhere a question waits)`);
    return yes;
  }
  stage.say(
    `${asked}  [a]pprove  [e]dit amount  [d]eny      (demo only: yes after ${Math.round(patienceMs / 1000)}s)`,
  );
  for (;;) {
    const key = await stage.keys.press(stage.signal, patienceMs);
    stage.check();
    if (key === undefined) {
      stage.say("nobody answered: yes (in the demo only; elsewhere a question waits)");
      return yes;
    }
    if (key === "a" || key === "y" || key === "\r") return yes;
    if (key === "d" || key === "n") return ["deny", id];
    if (key !== "e") continue;
    const amount = await amountOf(stage, approval);
    if (amount !== undefined) return [...yes, "--set", `spend=${amount}`];
  }
}

/** Undefined: it is no amount, or not more than there was; the question stands. */
async function amountOf(stage: Stage, { current_max = 0 }: Approval): Promise<string | undefined> {
  const line = await stage.keys?.line(`       new limit, more than ${dollars(current_max)}: $`, stage.signal);
  stage.check();
  const text = (line ?? "").replace(/^\$/, "");
  const nanos = parseDollars(text);
  if (nanos !== undefined && nanos > (parseDollars(String(current_max)) ?? 0)) return text;
  stage.say(`that is no amount above ${dollars(current_max)}: [a]pprove  [e]dit amount  [d]eny`);
  return undefined;
}

function askedText({ proposed_max, current_max, prompt }: Approval): string {
  if (proposed_max === undefined || current_max === undefined) return prompt.split("\n")[0] ?? "";
  return `${dollars(proposed_max)}${Number(proposed_max) === 2 * Number(current_max) ? " (double)" : ""}`;
}
