/** What a provider says went wrong: as the body of a refusal, or in the middle of a stream. */

export interface ProviderError {
  readonly type?: string;
  readonly message?: string;
  readonly status?: number;
}

/** Errors inside a stream come without a status; the type says which one they would have had. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  internal_error: 500,
  internal_server_error: 500,
  service_unavailable: 503,
  unavailable_error: 503,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Undefined: this value does not speak of an error. The shapes are those of the servers we know. */
export function errorIn(value: unknown): ProviderError | undefined {
  if (!isObject(value)) return undefined;
  const { error } = value;
  if (isObject(error)) return fromFields(error);
  if (typeof error === "string") return { message: error };
  if (value["object"] === "error" || value["type"] === "error") return fromFields(value);
  return undefined;
}

/** The body of an answer that is a refusal already: here every hint of a message counts. */
export function errorInBody(text: string): ProviderError {
  const value = parseJson(text);
  if (!isObject(value)) return {};
  const { detail, message } = value;
  return errorIn(value) ?? strings({ message: message ?? detail });
}

function fromFields({ type, code, message }: Readonly<Record<string, unknown>>): ProviderError {
  // A code in words is the finer of the two: `context_length_exceeded` is an `invalid_request_error`.
  const name = typeof code === "string" && code !== "" ? code : type === "error" ? undefined : type;
  const status = statusIn(code) ?? (typeof name === "string" ? STATUS_OF[name] : undefined);
  const byType = status ?? (typeof type === "string" ? STATUS_OF[type] : undefined);
  return { ...strings({ type: name, message }), ...(byType === undefined ? {} : { status: byType }) };
}

function statusIn(code: unknown): number | undefined {
  const status = typeof code === "string" ? Number(code) : code;
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
    ? Number(status)
    : undefined;
}

function strings(
  fields: Readonly<Record<"type" | "message", unknown>> | { message: unknown },
): ProviderError {
  const kept = Object.entries(fields).filter(([, text]) => typeof text === "string" && text !== "");
  return Object.fromEntries(kept);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text from outside: that it is no JSON is an answer, not a fault.
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
