/**
 * The operator token (L5): who can read this file of the user may answer the questions of threads. Tools get neither
 * the token nor a path to it, and file tools refuse its folder. Without a sandbox that is a guard rail against `bash`.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { writing } from "../core/disk-error.ts";
import { Problem } from "../core/problem.ts";
import { createFile } from "../disk/create-file.ts";
import { readPrivate } from "./private-file.ts";
import { makeStateHome } from "./state-home.ts";
import { stateHome } from "./user-folders.ts";

const TOKEN = /^[0-9a-f]{64}$/;

type TokenRead = { readonly token: string } | { readonly missing: true } | { readonly refused: string };

/** Makes the token if there is none yet; of several processes at once, one does. */
export function makeOperatorToken(home = stateHome()): void {
  const path = tokenPath(home);
  if (!("missing" in readToken(path))) return;
  makeStateHome(home);
  writing(path, () => createFile(path, `${randomBytes(32).toString("hex")}\n`, 0o600));
}

/** For who writes an answer. Throws when there is none that can be used. */
export function operatorToken(home = stateHome()): string {
  const path = tokenPath(home);
  const read = readToken(path);
  if ("token" in read) return read.token;
  const why = "missing" in read ? "there is none yet" : read.refused;
  throw new Problem("E_CONFIG_INVALID", {
    what: `The operator token ${path} cannot be used.`,
    why: `${why}. Questions of threads are not answered by files until there is one.`,
    next: [{ cmd: `rm -f '${path}' && selvage trust --yes`, why: "makes a new one" }],
  });
}

/** Whether this is the token. Read each time: it may have been made anew meanwhile. */
export function isOperator(token: string, home = stateHome()): boolean {
  return operatorRefusal(token, home) === undefined;
}

/** Why this token counts for nothing; undefined when it is the one. A true token beside a file that others could read does not. */
export function operatorRefusal(token: string, home = stateHome()): string | undefined {
  const read = readToken(tokenPath(home));
  // Without its path: a tool may get to read what is said here.
  if ("missing" in read) return "this user has no operator token yet";
  if ("refused" in read) return `the operator token of this user cannot be used: ${read.refused}`;
  const isSame = timingSafeEqual(digest(token), digest(read.token));
  return isSame ? undefined : "its operator_token is not the one of this user";
}

function tokenPath(home: string): string {
  return join(home, "operator");
}

/** Of one length, whatever was handed in. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function readToken(path: string): TokenRead {
  const read = readPrivate(path);
  if (!("text" in read)) return read;
  const token = read.text.trimEnd();
  return TOKEN.test(token) ? { token } : { refused: "it holds no token" };
}
