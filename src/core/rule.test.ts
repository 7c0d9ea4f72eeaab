import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CATEGORIES, type Category, type Failure } from "./failure.ts";
import { KNOWN_RULES, PROTECTED_RULES } from "./known-rules.ts";
import { builtInRules, classify, protectedIn, type Rule, ruleSet } from "./rule.ts";

const http = (status: number | undefined, type?: string, message = ""): Failure => ({
  kind: "http",
  message,
  ...(status === undefined ? {} : { status }),
  ...(type === undefined ? {} : { type }),
});
const said = (message: string): Failure => http(undefined, undefined, message);
const broken = (type: string): Failure => ({ kind: "connection", message: "not reached", type });

const STRUCTURE: readonly (readonly [Failure, Category, string])[] = [
  ...[408, 409, 425, 500, 501, 502, 503, 504, 529].map(
    (status) => [http(status), "transient", "status-transient"] as const,
  ),
  [http(522), "transient", "status-edge"],
  [http(429), "rate_limited", "status-429"],
  [http(429, "rate_limit_exceeded"), "rate_limited", "status-429"],
  [http(503, "rate_limit_exceeded"), "rate_limited", "rate-type"],
  [http(429, "insufficient_quota"), "quota", "money-type"],
  [http(429, "INSUFFICIENT_QUOTA"), "quota", "money-type"],
  [{ ...http(429, "brand_new_code"), typeFamily: "insufficient_quota" }, "quota", "money-type"],
  [http(403, "insufficient_quota"), "quota", "money-type"],
  [http(402), "quota", "money-status"],
  [http(undefined, "quota_exceeded"), "quota", "quota-type"],
  [http(401), "permanent", "auth-status"],
  [http(403), "permanent", "auth-status"],
  [http(407), "permanent", "auth-status"],
  [http(500, "authentication_error"), "permanent", "auth-type"],
  [http(undefined, "permission_error"), "permanent", "auth-type"],
  [http(400, "invalid_api_key"), "permanent", "auth-type"],
  [http(400, "context_length_exceeded"), "context_overflow", "context-type"],
  [http(400, "exceed_context_size_error"), "context_overflow", "context-type"],
  [http(413, "rate_limit_exceeded"), "context_overflow", "context-status"],
  [http(undefined, "overloaded_error"), "transient", "server-type"],
  [http(undefined, "api_error"), "transient", "server-type"],
  [http(undefined, "server_error"), "transient", "server-type"],
  [http(404, "not_found_error"), "permanent", "model-type"],
  [{ ...http(404, "model_not_found"), protocol: "openai" }, "permanent", "model-type"],
  [http(400, "content_policy_violation"), "permanent", "content-type"],
  [broken("ECONNRESET"), "transient", "connection"],
  [broken("ENOTFOUND"), "transient", "connection"],
  [broken("EPROTO"), "transient", "connection"],
  [broken("CERT_NOT_YET_VALID"), "transient", "connection"],
  [broken("CERT_HAS_EXPIRED"), "permanent", "certificate"],
  [broken("DEPTH_ZERO_SELF_SIGNED_CERT"), "permanent", "certificate"],
  [broken("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "permanent", "certificate"],
  [{ kind: "stream_cut", message: "cut" }, "transient", "stream-cut"],
  [{ kind: "stalled", message: "silent" }, "transient", "stalled"],
  [{ kind: "aborted", message: "stopped" }, "cancelled", "aborted"],
  [{ kind: "misuse", message: "503" }, "permanent", "misuse"],
  [{ kind: "script", message: "used up" }, "permanent", "unknown"],
  [{ kind: "script", message: "", status: 503 }, "transient", "status-transient"],
  [{ kind: "script", message: "", type: "insufficient_quota" }, "quota", "money-type"],
  [http(400), "permanent", "unknown"],
  [http(418), "permanent", "unknown"],
];

test.each(STRUCTURE)("%j is %s by %s", (failure, category, rule) => {
  expect(classify(failure)).toMatchObject({ category, rule });
});

describe("words alone", () => {
  test.each([
    ["Overloaded", "transient", "overloaded-text"],
    ["Rate limit reached for gpt-4o, see https://platform.openai.com/account/billing", "rate_limited"],
    ["You have hit your usage limit", "rate_limited"],
    ["Too Many Requests", "rate_limited"],
    ["Too many tokens, please wait: request throttled", "rate_limited"],
    ["This request would exceed your organization's rate limit of 40,000 input tokens", "rate_limited"],
    ["Service Unavailable", "transient"],
    ["The service is temporarily unavailable", "transient"],
    ["Internal Server Error", "transient"],
    ["The server had an error while processing your request", "transient"],
    ["Connection error.", "transient", "connection-text"],
    ["connection reset by peer", "transient"],
    ["Connection refused", "transient"],
    ["connection timeout", "transient"],
    ["Request timed out", "transient"],
    ["TypeError: fetch failed", "transient"],
    ["getaddrinfo ENOTFOUND api.openai.com", "transient"],
    ["TLS handshake was cut", "transient"],
    ["retry delay of 34s", "transient", "retry-text"],
    ["You exceeded your current quota, please check your plan", "quota", "quota-text"],
    ["Quota exhausted for today", "quota"],
    ["error code insufficient_quota", "quota", "money-text"],
    ["Your credit balance is too low to access the Anthropic API", "quota", "money-text"],
    ["Insufficient Balance", "quota", "money-text"],
    ["Incorrect API key provided: sk-x", "permanent", "auth-text"],
    ["invalid x-api-key", "permanent", "auth-text"],
    ["API key not valid. Please pass a valid API key.", "permanent", "auth-text"],
    ["Unauthorized", "permanent", "auth-words"],
    ["The model `gpt-9` does not exist or you do not have access to it.", "permanent", "model-text"],
    ['model "qwen" not found, try pulling it first', "permanent", "model-text"],
    ["Output blocked by content filtering policy", "permanent", "content-text"],
    ["", "permanent", "unknown"],
    ["something else", "permanent", "unknown"],
  ] as const)("%s", (message, category, rule = undefined) => {
    const found = classify(said(message));
    expect(found.category).toBe(category);
    if (rule !== undefined) expect(found.rule).toBe(rule);
  });

  test.each([
    "prompt is too long: 213462 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.",
    "Your input exceeds the context window of this model",
    "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
    "tokens to keep from the initial prompt is greater than the context length",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Please reduce the length of the messages or completion.",
    "prompt token count of 130000 exceeds the limit of 128000",
  ])("too long: %s", (message) => {
    expect(classify(http(400, "invalid_request_error", message)).category).toBe("context_overflow");
    // An old llama.cpp says it with 500.
    expect(classify(http(500, undefined, message)).category).toBe("context_overflow");
  });

  test("structure is believed over words", () => {
    expect(classify(http(503, undefined, "model x not found")).rule).toBe("status-transient");
    expect(classify(http(429, undefined, "You exceeded your current quota")).rule).toBe("status-429");
    expect(classify({ kind: "stream_cut", message: "content policy" }).rule).toBe("stream-cut");
  });

  test("only the first 2,000 characters are read", () => {
    expect(classify(said(`${"x".repeat(1_980)} overloaded`)).category).toBe("transient");
    expect(classify(said(`${"x".repeat(2_000)} overloaded`)).rule).toBe("unknown");
  });
});

describe("a 404", () => {
  const at = (protocol: string, type: string | undefined, message: string): Failure => ({
    ...http(404, type, message),
    protocol,
  });

  test("of OpenAI's wire may be gone in a moment, unless it says what is wrong", () => {
    const busy = "openai answered 404 (invalid_request_error): nothing here right now";
    expect(classify(at("openai", "invalid_request_error", busy))).toMatchObject({
      category: "transient",
      rule: "openai-404",
    });
    expect(classify(at("openai", undefined, "The model `x` does not exist")).rule).toBe("model-text");
    expect(classify(at("openai", undefined, "Invalid URL (POST /v1/v1/chat)")).rule).toBe("address-text");
  });

  test("of another wire is a mistake", () => {
    expect(classify(at("anthropic", undefined, "nothing here")).rule).toBe("unknown");
    expect(classify(http(404)).rule).toBe("unknown");
  });
});

describe("rules of others", () => {
  const rule = (id: string, match: Rule["match"], category: Category = "transient"): Rule => ({
    id,
    match,
    category,
  });

  test("the higher layer comes first, and takes the place of its id below", () => {
    const rules = ruleSet(
      [rule("teapot", { status: 418 }, "rate_limited")],
      [rule("teapot", { status: 418 }, "permanent"), rule("tea", { status: [418, 419] }, "quota")],
    );
    expect(classify(http(418), rules)).toEqual({
      category: "rate_limited",
      rule: "teapot",
      policy: "rate_limited",
    });
    expect(classify(http(419), rules)).toEqual({ category: "quota", rule: "tea", policy: "quota" });
    expect(rules.filter(({ id }) => id === "teapot")).toHaveLength(1);
  });

  test("a built-in rule that is not protected can be replaced", () => {
    const rules = ruleSet([rule("model-type", { type: "model_not_found" })]);
    expect(classify(http(404, "model_not_found"), rules).category).toBe("transient");
    expect(classify(http(404, "not_found_error"), rules).rule).toBe("unknown");
  });

  test("a text of a high layer stands behind a structure of a low one", () => {
    const rules = ruleSet([rule("mine", { text: /busy/ }, "permanent")]);
    expect(classify(http(503, undefined, "busy"), rules).rule).toBe("status-transient");
    expect(classify(said("busy, overloaded"), rules).rule).toBe("mine");
  });

  test("a policy of its own wins over that of the category", () => {
    const rules = ruleSet([{ ...rule("slow", { status: 418 }), policy: "fixed" }]);
    expect(classify(http(418), rules).policy).toBe("fixed");
  });

  test("all parts must hold", () => {
    const rules = ruleSet([rule("both", { kind: "http", status: 418, type: ["a", "b"], text: /tea/ })]);
    expect(classify(http(418, "B", "tea"), rules).rule).toBe("both");
    expect(classify(http(418, "c", "tea"), rules).rule).toBe("unknown");
    expect(classify(http(419, "a", "tea"), rules).rule).toBe("unknown");
    expect(classify(http(418, "a", "coffee"), rules).rule).toBe("unknown");
    expect(classify({ ...http(418, "a", "tea"), kind: "script" }, rules).rule).toBe("unknown");
  });

  test("nothing turns keys, money, stops or a context that is too long into a retry", () => {
    const greedy = ruleSet([
      rule("all-text", { text: { test: () => true } }),
      rule("all-http", { kind: ["http", "aborted", "misuse", "script"] }),
      rule("bad-request", { status: [400, 401, 402, 403, 413] }),
      ...PROTECTED_RULES.map(({ id, match }) => rule(id, match)),
    ]);
    const guarded = new Set(PROTECTED_RULES.map(({ id }) => id));
    for (const [failure, category, id] of STRUCTURE) {
      if (guarded.has(id)) expect(classify(failure, greedy)).toMatchObject({ category, rule: id });
    }
    const credit = http(400, "invalid_request_error", "Your credit balance is too low");
    expect(classify(credit, greedy)).toMatchObject({ category: "quota", rule: "money-text" });
    expect(classify(http(400, undefined, "prompt is too long"), greedy).category).toBe("context_overflow");
    expect(classify(http(400, undefined, "API key not valid"), greedy).category).toBe("permanent");
  });

  test.each([
    [{ status: 401 }, "auth-status"],
    [{ status: [418, 402] }, "money-status"],
    [{ type: "Authentication_Error" }, "auth-type"],
    [{ type: ["x", "billing_error"] }, "money-type"],
    [{ status: 418, type: "x" }, undefined],
    [{}, undefined],
  ] as const)("%j is about %s", (match, id) => {
    expect(protectedIn(match)?.id).toBe(id);
  });
});

test("every rule has a name of its own", () => {
  const ids = [...PROTECTED_RULES, ...KNOWN_RULES].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(builtInRules).toHaveLength(ids.length);
});

test("any failure has a category", () => {
  const failure = fc.record(
    {
      kind: fc.constantFrom("http", "connection", "stream_cut", "stalled", "aborted", "script", "misuse"),
      message: fc.string({ maxLength: 5_000 }),
      status: fc.oneof(fc.integer(), fc.constant(Number.NaN)),
      type: fc.string(),
      typeFamily: fc.string(),
      protocol: fc.string(),
    },
    { requiredKeys: ["kind", "message"] },
  );
  fc.assert(
    fc.property(failure, (value) => {
      const { category, rule } = classify(value as Failure);
      expect(CATEGORIES).toContain(category);
      expect(rule).not.toBe("");
    }),
  );
});
