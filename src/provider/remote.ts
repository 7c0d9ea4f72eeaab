/** A provider's model behind the port: a protocol on HTTP. */
import type { Ending, Model, ModelEvent } from "../core/model.ts";
import { type Provider, streamsText } from "../core/provider.ts";
import type { Settings } from "../core/settings.ts";
import type { Clock } from "../core/world.ts";
import { anthropicProtocol } from "./anthropic.ts";
import { exchange, type Post } from "./http.ts";
import { openAiProtocol } from "./openai-chat.ts";
import type { NewProtocol, Protocol } from "./protocol.ts";

const PROTOCOLS: Readonly<Record<Provider["protocol"], NewProtocol>> = {
  anthropic: anthropicProtocol,
  openai: openAiProtocol,
};

export interface RemoteOptions {
  readonly provider: Provider;
  /** As the provider calls it. */
  readonly modelName: string;
  /** None: it wants no key. */
  readonly keys: readonly string[];
  readonly settings: Settings;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function remoteAsk(options: RemoteOptions): Model["ask"] {
  const { provider, modelName } = options;
  const protocol = PROTOCOLS[provider.protocol](provider.options);
  const prepare = postOf(options, protocol);
  const shows = streamsText(provider);
  return async (request, on, signal): Promise<Ending> => {
    const { head, log } = protocol.body(request, modelName);
    const hear = (event: ModelEvent) => {
      if (shows || event.type !== "text_delta") on(event);
    };
    return exchange(
      prepare([Buffer.from(head), log.bytes, Buffer.from(log.tail)], request.key),
      protocol.reader(hear),
      signal,
    );
  };
}

type Prepare = (body: readonly Uint8Array[], key: number | undefined) => Post;

function postOf(options: RemoteOptions, protocol: Protocol): Prepare {
  const { provider, keys, settings, clock, environment } = options;
  const { stall_timeout_seconds: stall, timeout_seconds: total } = {
    ...settings.model,
    ...set(provider.options),
  };
  const url = new URL(provider.baseUrl + protocol.path);
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "user-agent": "selvage",
  };
  return (body, key = 0) => ({
    provider: provider.id,
    host: url.host,
    protocol: provider.protocol,
    secrets: keys,
    keyWithheld: provider.keyWithheld,
    url,
    headers: {
      ...protocol.headers(keyOf(keys, key)),
      ...headers,
      "content-length": String(body.reduce((sum, part) => sum + part.length, 0)),
    },
    body,
    stallMs: stall * 1000,
    totalMs: total * 1000,
    environment,
    now: clock.now,
  });
}

/** A number beyond the list is of a time when there were more of them: then the first. */
function keyOf(keys: readonly string[], index: number): string | undefined {
  return keys[index] ?? keys[0];
}

/** A provider's own timeouts, where it has them. */
function set({ stall_timeout_seconds, timeout_seconds }: Provider["options"]): Partial<Settings["model"]> {
  return {
    ...(stall_timeout_seconds === undefined ? {} : { stall_timeout_seconds }),
    ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
  };
}
