/**
 * The failures we know (E2): statuses, the names that providers give them, and the words of those that give none.
 * The wordings are those of Anthropic, OpenAI, Google, xAI, Groq, OpenRouter, Mistral, Ollama, LM Studio, vLLM and
 * llama.cpp. Patterns have no unbounded part inside another, so they take time in proportion to the text.
 */
import type { Rule } from "./rule.ts";

/** Tried before everything else, and replaced by no file. */
export const PROTECTED_RULES: readonly Rule[] = [
  { id: "aborted", match: { kind: "aborted" }, category: "cancelled" },
  { id: "misuse", match: { kind: "misuse" }, category: "permanent" },
  // Before the key's: an account without money is refused with 403 by some. OpenAI does it with 429.
  {
    id: "money-type",
    match: {
      type: [
        ...["insufficient_quota", "insufficient_balance", "insufficient_credits", "insufficient_funds"],
        ...["billing_error", "billing_hard_limit_reached", "billing_not_active", "payment_required"],
        ...["credit_balance_exhausted", "exceeded_current_quota_error"],
        ...["organization_spend_limit_exceeded", "project_spend_limit_exceeded"],
      ],
    },
    category: "quota",
  },
  { id: "money-status", match: { status: 402 }, category: "quota" },
  {
    id: "context-type",
    match: {
      type: [
        ...["context_length_exceeded", "context_window_exceeded", "exceed_context_size_error"],
        ...["request_too_large", "model_context_window_exceeded"],
      ],
    },
    category: "context_overflow",
  },
  // Too many bytes, or more tokens than a minute ever has (Groq): a shorter context is the only way on.
  { id: "context-status", match: { status: 413 }, category: "context_overflow" },
  {
    id: "auth-type",
    match: {
      type: [
        ...["authentication_error", "permission_error", "invalid_api_key", "invalid_authentication_error"],
        ...["authenticationerror", "permissiondeniederror", "permission_denied", "unauthenticated"],
        ...["unauthorized", "account_deactivated", "insufficient_permissions"],
      ],
    },
    category: "permanent",
  },
  // 407: the proxy wants a password.
  { id: "auth-status", match: { status: [401, 403, 407] }, category: "permanent" },
  // Anthropic says it with 400 and in words alone. A bare "billing" would not do: rate limits link to that page.
  {
    id: "money-text",
    match: {
      text: /credit balance is too low|insufficient[ _](?:account |credit )?(?:quota|balance|credits?|funds)|billing hard limit|out of credits|payment required/i,
    },
    category: "quota",
  },
  // Not "too many tokens": that is how some word a rate limit.
  {
    id: "context-text",
    match: {
      text: /prompt is too long|maximum context length|context[ _]length[ _]exceeded|exceeds? (?:the |this )?(?:model's )?context (?:window|limit|length)|exceeds? the available context size|too long to fit into the model|longer than the maximum model length|greater than the context length|input is too long for requested model|input token count.{0,60}exceeds the maximum|maximum prompt length is \d|reduce the length of (?:the |your )?(?:messages|prompt|input)|prompt token count of \d+ exceeds|context window exceeds limit|exceeded model token limit/i,
    },
    category: "context_overflow",
  },
  // Google refuses a bad key with 400.
  {
    id: "auth-text",
    match: {
      text: /(?:invalid|incorrect|wrong|missing|expired|revoked|no) (?:x-)?api[-_ ]?key|api[-_ ]?key (?:is )?(?:not valid|invalid|incorrect|expired|missing|not found|revoked)/i,
    },
    category: "permanent",
  },
];

const RATE_TYPES = [
  ...["rate_limit_error", "rate_limit_exceeded", "rate_limited", "too_many_requests", "slow_down"],
  ...["usage_limit_reached", "usage_limit_exceeded", "resource_exhausted"],
  ...["throttling_error", "throttlingexception", "ratelimiterror"],
];

const SERVER_TYPES = [
  ...["overloaded_error", "overloaded", "server_is_overloaded", "engine_overloaded_error"],
  ...["api_error", "server_error", "internal_error", "internal_server_error", "internalservererror"],
  ...["service_unavailable", "service_unavailable_error", "unavailable_error", "unavailable"],
  ...["timeout_error", "timeout", "deadline_exceeded", "gateway_timeout", "bad_gateway"],
];

/**
 * Waiting does not change who signed a certificate: a person has to name the authority, or look who answers in the
 * provider's name. Handshakes that break off stay transient, and so does CERT_NOT_YET_VALID: then our own clock is
 * behind, as just after a boot.
 */
const CERTIFICATE_TYPES = [
  ...["CERT_HAS_EXPIRED", "CERT_REVOKED", "CERT_REJECTED", "CERT_UNTRUSTED", "CERT_SIGNATURE_FAILURE"],
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_CHAIN_TOO_LONG"],
  ...["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH", "INVALID_CA", "INVALID_PURPOSE"],
];

const STRUCTURE: readonly Rule[] = [
  { id: "certificate", match: { kind: "connection", type: CERTIFICATE_TYPES }, category: "permanent" },
  { id: "connection", match: { kind: "connection" }, category: "transient" },
  { id: "stream-cut", match: { kind: "stream_cut" }, category: "transient" },
  { id: "stalled", match: { kind: "stalled" }, category: "transient" },
  {
    id: "model-type",
    match: { type: ["model_not_found", "not_found_error", "notfounderror", "unsupported_model"] },
    category: "permanent",
  },
  {
    id: "content-type",
    match: {
      type: [
        ...["content_policy_violation", "content_filter", "moderation_blocked", "invalid_prompt"],
        "responsibleaipolicyviolation",
      ],
    },
    category: "permanent",
  },
  { id: "quota-type", match: { type: ["quota_exceeded", "quota_exhausted"] }, category: "quota" },
  { id: "status-429", match: { status: 429 }, category: "rate_limited" },
  { id: "rate-type", match: { type: RATE_TYPES }, category: "rate_limited" },
  {
    id: "status-transient",
    match: { status: [408, 409, 425, 500, 501, 502, 503, 504, 529] },
    category: "transient",
  },
  // Cloudflare's, which stands before many providers: their server was not reached.
  {
    id: "status-edge",
    match: { status: [520, 521, 522, 523, 524, 525, 527, 530] },
    category: "transient",
  },
  { id: "server-type", match: { type: SERVER_TYPES }, category: "transient" },
];

const TEXT: readonly Rule[] = [
  {
    id: "quota-text",
    match: {
      text: /quota (?:has been |was )?(?:exceeded|exhausted|used up)|exceed(?:s|ed) .{0,40}quota|out of quota/i,
    },
    category: "quota",
  },
  {
    id: "content-text",
    match: {
      text: /content (?:management )?policy|content[ _]filter|flagged by .{0,40}(?:policy|moderation)/i,
    },
    category: "permanent",
  },
  {
    id: "model-text",
    match: {
      text: /\bmodel .{0,100}(?:not found|does not exist|not supported|been deprecated)|(?:unknown|no such|invalid) model\b|model_not_found|no endpoints found for/i,
    },
    category: "permanent",
  },
  {
    id: "address-text",
    match: { status: 404, text: /invalid url|page not found|<html/i },
    category: "permanent",
  },
  // OpenAI answers 404 now and then for models that are there a moment later. What the answer says comes first: a
  // model that is named as unknown, or a page from another server, stays a mistake. So this stands among the texts.
  {
    id: "openai-404",
    match: { status: 404, protocol: "openai", text: { test: () => true } },
    category: "transient",
  },
  {
    id: "auth-words",
    match: { text: /\bunauthori[sz]ed\b|authentication (?:failed|error|required)|permission denied/i },
    category: "permanent",
  },
  {
    id: "rate-text",
    match: { text: /rate[- _]?limit|usage limit|too many requests|\bthrottl/i },
    category: "rate_limited",
  },
  { id: "overloaded-text", match: { text: /overloaded|(?:over|at) capacity/i }, category: "transient" },
  {
    id: "server-text",
    match: {
      text: /(?:service|temporarily|server) (?:is )?(?:temporarily |currently )?unavailable|(?:server|internal|api)[ _]error|server had an error|bad gateway|gateway time-?out/i,
    },
    category: "transient",
  },
  {
    id: "connection-text",
    match: {
      text: /connection (?:was )?(?:error|reset|refused|closed|lost|aborted|timeout|timed out)|(?:network|socket) error|socket hang up|fetch failed|tls handshake|time[- ]?out|timed out|econnre(?:set|fused)|econnaborted|etimedout|epipe|enotfound|eai_again|(?:enet|ehost)unreach/i,
    },
    category: "transient",
  },
  { id: "retry-text", match: { text: /retry[- _]?delay|try again (?:later|in )/i }, category: "transient" },
];

export const KNOWN_RULES: readonly Rule[] = [...STRUCTURE, ...TEXT];
