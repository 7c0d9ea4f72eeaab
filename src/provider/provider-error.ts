/** What a provider says went wrong: as the body of a refusal, or in the middle of a stream. */

export interface ProviderError {
  /** The finest name it gave, and the broader one beside it. */
  readonly type?: string;
  readonly family?: string;
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
  // Google's server wraps its one error into a list.
  if (Array.isArray(value) && value.length === 1) return errorIn(value[0]);
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
  const error = errorIn(value);
  if (error || !isObject(value)) return error ?? {};
  return strings({ message: value["message"] ?? value["detail"] });
}

/** A code in words is finer than a type: `context_length_exceeded` is an `invalid_request_error`. Google says `status`. */
function fromFields({ type, code, status: word, message }: Readonly<Record<string, unknown>>): ProviderError {
  const [name, family] = [code, type === "error" ? undefined : type, word].filter(isName);
  const status = statusIn(code) ?? STATUS_OF[name ?? ""] ?? STATUS_OF[family ?? ""];
  return {
    ...strings({ type: name, family: family === name ? undefined : family, message }),
    ...(status === undefined ? {} : { status }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && statusIn(value) === undefined;
}

function statusIn(code: unknown): number | undefined {
  const status = typeof code === "string" ? Number(code) : code;
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
    ? Number(status)
    : undefined;
}

function strings(fields: Readonly<Record<string, unknown>>): Omit<ProviderError, "status"> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, text]) => typeof text === "string" && text !== ""),
  );
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
