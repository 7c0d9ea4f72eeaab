/** Asking a person about one call (L7): it is shown whole, and a yes is a yes to exactly that. */
import type { Question } from "./question.ts";
import type { OpenCall, Thread } from "./thread.ts";

export function callQuestion(thread: Thread, call: OpenCall, why: string): Question {
  const { call_id, tool, input } = call;
  return {
    reason: "approval",
    message: why,
    prompt: callPrompt(thread, call, why),
    what: `a yes or no to ${tool}`,
    call: { call_id, tool, input },
  };
}

/** The whole call: what is not shown cannot be agreed to. */
function callPrompt(thread: Thread, call: OpenCall, why: string): string {
  return [
    `Thread '${thread.directive}' wants to call ${call.tool}.`,
    "",
    JSON.stringify(call.input, null, 2),
    "",
    `Why you are asked: ${why}`,
    "Approve to run exactly this call? Deny tells the model that it was refused; the thread goes on.",
  ].join("\n");
}
