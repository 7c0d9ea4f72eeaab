/** Names of requests that come of a message: the platform's own, and those that are made of it. */

/** Of a message that is handed on, and of other words for one: no platform's own names have this sign in a request. */
export function requestAgain(requestId: string, sign: string): string {
  return `${requestId}@${sign}`;
}

export function originOf(requestId: string): string {
  return requestId.replace(/@.*$/s, "");
}
