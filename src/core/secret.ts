/**
 * Which variables of our environment hold secrets. A name alone proves little: `AUTH_TYPE=kerberos` and
 * `DB_PASSWORD=postgres` must not tear holes into every text that has these words. So a value that a name accuses must
 * also look like a secret; one that somebody named as a key only has to be long enough.
 */
import { SHORTEST_FORM } from "./secret-forms.ts";

export interface Secret {
  readonly name: string;
  readonly value: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const ACCUSING =
  /(?:_|^)(?:API_?KEYS?|KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|PWD|PAT|CREDENTIALS?|CREDS?|AUTH|COOKIE|JWT)(?:_|$)/i;
/** What a secret is about, and not the secret. */
const ABOUT =
  /_(?:FILE|PATH|DIR|HOME|HOST|PORT|SOCK|SOCKET|TYPE|METHOD|MODE|NAME|USER|USERNAME|EMAIL|ID|ENABLED|REGION|ALGORITHM|ALG|TTL|EXPIRY|TIMEOUT|COUNT|SIZE|LIMIT|VERSION|ISSUER|AUDIENCE|HEADER|PREFIX|PROVIDER|DOMAIN|SCOPES?)$/i;
/** Their values are everywhere, and nobody hides them. */
const PUBLIC =
  /^(?:HOME|USER|LOGNAME|PWD|OLDPWD|PATH|SHELL|TERM|LANG|TZ|HOSTNAME|EDITOR|PAGER|DISPLAY|TMPDIR)$/;

/** `named`: variables that a provider's entry says hold its key. */
export function secretsIn(environment: Environment, named: readonly string[] = []): Secret[] {
  const open = new Set(
    Object.entries(environment).flatMap(([name, value]) => (PUBLIC.test(name) ? value : [])),
  );
  const all = Object.entries(environment).flatMap(([name, raw]): Secret[] => {
    const value = raw?.trim() ?? "";
    if (value.length < SHORTEST_FORM || PUBLIC.test(name) || open.has(value)) return [];
    if (named.includes(name)) return [{ name, value }];
    return partsOf(name, value).map((part) => ({ name, value: part }));
  });
  // Whoever was named first gives a value its name, when two variables hold the same.
  return all.sort((left, right) => Number(named.includes(right.name)) - Number(named.includes(left.name)));
}

/** A password in an address, whatever the variable is called; a value that its name accuses; what is random in a long one. */
function partsOf(name: string, value: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*:([^\s/?#]+)@/i.exec(value)?.[1];
  if (password !== undefined) return looksSecret(password) ? [password] : [];
  if (!ACCUSING.test(name) || ABOUT.test(name)) return [];
  // Lines of a key file, fields of JSON: of these the parts turn up alone, between things that are no secret.
  if (/[\n{]/.test(value)) return [value, ...(value.match(/[\w+/=.-]{20,}/g) ?? []).filter(isRandom)];
  return looksSecret(value) ? [value] : [];
}

function looksSecret(value: string): boolean {
  if (value.length < SHORTEST_FORM) return false;
  if (/^https?:\/\//i.test(value))
    return (value.slice(8).match(/[\w-]{16,}/g) ?? []).some((part) => /\d/.test(part));
  if (HARMLESS.some((pattern) => pattern.test(value))) return false;
  // Words, also several of them: only a long row of them is a pass phrase.
  return /[^A-Za-z _-]/.test(value) || /(?:[a-z][A-Z].*){3}/.test(value) || value.length >= 20;
}

const HARMLESS: readonly RegExp[] = [
  /^\d{1,9}$/, // a number
  /^\d[\d:T+-]*[.:T-][\d.:T+-]*Z?$/, // a time, an address
  /^v?\d+(?:\.\d+)+(?:[-+.][\w.]+)?$/,
  /^(?:~|\.{1,2})?\/[a-z0-9._@/-]*$/, // a path in small letters
  /^(?:~|\.{1,2})?\/(?:usr|etc|home|tmp|var|run|opt|root|mnt|dev|Users|private|Library)\//,
  /^[A-Za-z]:\\/,
  /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/, // whom to write to
  /^[\w-]+(?:\.[\w-]+)*:\d{1,5}$/, // a host and its port
  /^(?:true|false|yes|no|on|off|none|null|undefined|enabled|disabled|default|required|optional)$/i,
  /^(.)\1*$/,
  /^(?:password|passwort|changeme|change-me|secret|postgres|example|letmein|test)[\d!_-]{0,4}$/i,
  /^(?:\$\{?\w+\}?|<[^>]*>|\*+|x+|your[-_ ].*)$/i, // a place where something is to be put
];

function isRandom(text: string): boolean {
  return /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);
}
