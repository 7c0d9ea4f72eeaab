/**
 * Names of the OpenTelemetry conventions for generative AI, as version 1.41 has them. All of them are still in
 * development: they stand here and nowhere else.
 */

/** Tells a provider which version the names are of. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";

export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  maxTokens: "gen_ai.request.max_tokens",
  stream: "gen_ai.request.stream",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheCreation: "gen_ai.usage.cache_creation.input_tokens",
  finishReasons: "gen_ai.response.finish_reasons",
  agentName: "gen_ai.agent.name",
  agentId: "gen_ai.agent.id",
  conversation: "gen_ai.conversation.id",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
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

/** Providers that the conventions know by another name than people give them. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  watsonx: "ibm.watsonx.ai",
  xai: "x_ai",
};

/** `anthropic/claude-x`: who is asked, and for what. */
export function modelAttributes(model: string): Record<string, string> {
  const at = model.indexOf("/");
  const provider = at < 0 ? "unknown" : model.slice(0, at);
  return {
    [GEN_AI.provider]: Object.hasOwn(PROVIDERS, provider) ? String(PROVIDERS[provider]) : provider,
    [GEN_AI.requestModel]: modelName(model),
  };
}

export function chatName(model: string): string {
  return `chat ${modelName(model)}`;
}

function modelName(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

const FINISHES: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_call",
  refusal: "content_filter",
};

/** Why an answer ended, in the words of the conventions; what they have no word for stays as it is. */
export function finishReason(stop: string): string {
  return Object.hasOwn(FINISHES, stop) ? String(FINISHES[stop]) : stop;
}
