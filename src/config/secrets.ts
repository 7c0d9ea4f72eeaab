/** The secrets that this process knows, so that they can be kept out of all it writes (K5). */
import type { Providers } from "../core/provider.ts";
import { type Environment, type Secret, secretsIn } from "../core/secret.ts";
import { operatorToken } from "./operator.ts";
import { signingSecrets } from "./signing-key.ts";
import { stateHome } from "./user-folders.ts";

/** Keys of providers, variables that look like secrets, the token that answers questions, and the key that signs. */
export function knownSecrets(
  providers: Providers = new Map(),
  environment: Environment = process.env,
  home = stateHome(environment),
): readonly Secret[] {
  // Also of a provider whose key is withheld: what is not sent is a secret all the same.
  const named = [...providers.values()].flatMap(({ options }) => options.key_env ?? []);
  return [...secretsIn(environment, named), ...operatorSecret(home), ...signingSecrets(home)];
}

function operatorSecret(home: string): Secret[] {
  try {
    return [{ name: "operator", value: operatorToken(home) }];
  } catch {
    // There is none, or none that counts: nothing to hide.
    return [];
  }
}
