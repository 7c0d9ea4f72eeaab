/**
 * What a provider is, as data (SPEC §16): the keys of providers.yaml, and the two that need no file.
 * No code asks for a provider's name: what differs between servers of one protocol is an option here.
 */
import * as z from "zod/mini";
import { RetryPart } from "./settings.ts";

const PROTOCOLS = ["anthropic", "openai"] as const;
type ProtocolName = (typeof PROTOCOLS)[number];

const OURS = ["model", "messages", "system", "tools", "stream", "max_tokens", "max_completion_tokens"];

const meanings = z.registry<{ meaning: string }>();
const key = <S extends z.ZodMiniType>(schema: S, meaning: string) => {
  const optional = z.optional(schema);
  meanings.add(optional as z.ZodMiniType, { meaning });
  return optional;
};
const variable = z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of a variable"));
const seconds = (meaning: string) => key(z.int().check(z.positive()), meaning);

export const ProviderEntry = z.object({
  protocol: key(z.enum(PROTOCOLS), "The wire it speaks: Anthropic's messages or OpenAI's chat completions."),
  base_url: key(
    z
      .string()
      .check(z.refine((text) => addressProblem(text) === undefined, "expected an http or https address")),
    "Its address. A key of the user's is not sent to an address that a project names.",
  ),
  key_env: key(
    z.union(
      [variable, z.array(variable).check(z.minLength(1))],
      "expected the name of a variable, or several",
    ),
    "The environment variable that holds its key; without this, no key is sent. A list of several is gone through when a key's quota is used up.",
  ),
  stream: key(
    z.union([z.object({}), z.boolean(), z.null()], "expected a section, true or false"),
    "When it is there, text is shown as it comes.",
  ),
  stall_timeout_seconds: seconds(
    "In place of `model.stall_timeout_seconds`: a local server may be silent for long before its first word.",
  ),
  timeout_seconds: seconds("In place of `model.timeout_seconds`."),
  prompt_cache: key(
    z.boolean(),
    "Anthropic: mark what stays the same, so that it is billed as cached. Default true.",
  ),
  max_tokens_field: key(
    z.enum(["max_tokens", "max_completion_tokens"]),
    "OpenAI: what the cap of an answer is called. Default `max_tokens`.",
  ),
  stream_usage: key(z.boolean(), "OpenAI: ask for usage at the end of the stream. Default true."),
  reasoning_field: key(
    z.string(),
    "OpenAI: the field in which reasoning goes back, for servers that want it. Default: it does not.",
  ),
  retry: key(
    RetryPart,
    "In place of the user's `retry.*`, by the same names; a project's own stand over it.",
  ),
  body: key(
    z.record(
      z.string().check(z.refine((name) => !OURS.includes(name), "this field is Selvage's own")),
      z.unknown(),
    ),
    "More fields of the request, such as `temperature`.",
  ),
});
export type ProviderEntry = z.infer<typeof ProviderEntry>;

/** A variable that holds a key, and who says so. */
export interface ProviderKey {
  readonly variable: string;
  readonly saidBy: string;
}

/** A provider whose layers are merged and checked. Its keys are named here and never held. */
export interface Provider {
  readonly id: string;
  readonly protocol: ProtocolName;
  readonly baseUrl: string;
  /** The file or variable that names the address, for the person who has to correct it. */
  readonly addressSaidBy: string;
  readonly options: ProviderEntry;
  /** The variables that hold its keys, in the order of their use. None: no key is sent. */
  readonly keys: readonly ProviderKey[];
  /** Why no key is sent although one may be there, for the person who meets a 401. */
  readonly keyWithheld?: string | undefined;
}

export type Providers = ReadonlyMap<string, Provider>;

export interface BuiltIn {
  readonly entry: ProviderEntry & Required<Pick<ProviderEntry, "protocol" | "base_url" | "key_env">>;
  /** Variable of the user that names another address. */
  readonly addressVariable: string;
}

export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  anthropic: {
    entry: {
      protocol: "anthropic",
      base_url: "https://api.anthropic.com",
      key_env: "ANTHROPIC_API_KEY",
      stream: {},
    },
    addressVariable: "ANTHROPIC_BASE_URL",
  },
  openai: {
    entry: {
      protocol: "openai",
      base_url: "https://api.openai.com/v1",
      key_env: "OPENAI_API_KEY",
      stream: {},
      max_tokens_field: "max_completion_tokens",
    },
    addressVariable: "OPENAI_BASE_URL",
  },
};

/** Whether text is shown as it comes (V2). */
export function streamsText({ options: { stream } }: Provider): boolean {
  return stream !== undefined && stream !== false;
}

/** Why `text` is no address we send a key to; undefined when it is one. */
export function addressProblem(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#]/i.test(text)) return "it does not begin with http:// or https://";
  if (!URL.canParse(text)) return "it is not a web address";
  const { username, password, search, hash } = new URL(text);
  if (username !== "" || password !== "") return "it has a name or password in it";
  return search !== "" || hash !== "" ? "it has a ? or # part" : undefined;
}

/** The keys of a provider, for docs. */
export function providerLines(): { readonly key: string; readonly meaning: string }[] {
  return Object.entries(ProviderEntry.shape).map(([name, schema]) => ({
    key: name,
    meaning: meanings.get(schema)?.meaning ?? "",
  }));
}
