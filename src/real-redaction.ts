/** Keeps the secrets that this process knows out of what a world stores and shows. */
import { knownSecrets } from "./config/secrets.ts";
import type { Providers } from "./core/provider.ts";
import { redactor } from "./core/redact.ts";
import type { World } from "./core/world.ts";
import { redactedHook, redactedModel, redactedNotify, redactedStore } from "./runtime/redacted.ts";

type Ports = Required<Pick<World, "store" | "model" | "runHook">>;

export interface Redaction {
  notify(notify: World["notify"]): World["notify"];
  ports(ports: Ports): Ports & Required<Pick<World, "redact">>;
}

export function realRedaction(providers: Providers): Redaction {
  const known = redactor(knownSecrets(providers));
  return {
    notify: (notify) => redactedNotify(notify, known),
    ports: ({ store, model, runHook }) => ({
      redact: known.value,
      store: redactedStore(store, known),
      model: redactedModel(model, known),
      runHook: redactedHook(runHook, known),
    }),
  };
}

let known: ReturnType<typeof redactor>["value"] | undefined;

/** Without the secrets that are known before a project is open; they are looked for when something is to be shown. */
export function redactKnown<T>(value: T): T {
  known ??= redactor(knownSecrets()).value;
  return known(value);
}
