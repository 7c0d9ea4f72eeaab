/**
 * Names of the OpenTelemetry conventions for generative AI. All of them are still in development: they stand here and
 * nowhere else. A provider has two, the one before 1.37 and the one since; both are written.
 */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  system: "gen_ai.system",
  requestModel: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  finishReasons: "gen_ai.response.finish_reasons",
  agentName: "gen_ai.agent.name",
  agentId: "gen_ai.agent.id",
  conversation: "gen_ai.conversation.id",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  errorType: "error.type",
} as const;

/** Ours: what the conventions have no name for. */
export const OURS = {
  root: "selvage.root.id",
  parent: "selvage.parent.id",
  status: "selvage.thread.status",
  turn: "selvage.turn",
  attempt: "selvage.attempt",
  suspended: "selvage.suspended",
  resumed: "selvage.resumed",
  retry: "selvage.retry",
  waitStarted: "selvage.wait.started",
  waitFinished: "selvage.wait.finished",
  recovered: "selvage.recovered",
} as const;

/** `anthropic/claude-x`: who is asked, and for what. */
export function modelAttributes(model: string): Record<string, string> {
  const at = model.indexOf("/");
  const provider = at < 0 ? "unknown" : model.slice(0, at);
  return {
    [GEN_AI.provider]: provider,
    [GEN_AI.system]: provider,
    [GEN_AI.requestModel]: at < 0 ? model : model.slice(at + 1),
  };
}
