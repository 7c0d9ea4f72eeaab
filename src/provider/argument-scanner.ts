/**
 * Says when the argument object of a call is complete, looking at each character once (T3: a tool starts
 * as soon as its block closes). It counts brackets outside strings; whether the text is JSON is not its question.
 */

export interface ArgumentScanner {
  /** The characters of `text` up to and with the one that closes the object; undefined while it is open. */
  feed(text: string): number | undefined;
  /** Whether an object has begun and not ended. */
  readonly isOpen: boolean;
}

const QUOTE = 34;
const BACKSLASH = 92;

export function argumentScanner(): ArgumentScanner {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let isOther = false;

  const look = (code: number): boolean => {
    if (inString) {
      if (isEscaped) isEscaped = false;
      else if (code === BACKSLASH) isEscaped = true;
      else if (code === QUOTE) inString = false;
      return false;
    }
    if (depth === 0) {
      if (code === OPEN) depth = 1;
      // Arguments that are no object never close here; they end with the call.
      else if (!isSpace(code)) isOther = true;
      return false;
    }
    if (code === QUOTE) inString = true;
    else if (code === OPEN || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE || code === CLOSE_LIST) depth -= 1;
    return depth === 0;
  };

  return {
    feed(text) {
      for (let at = 0; at < text.length && !isOther; at += 1) {
        if (look(text.charCodeAt(at))) return at + 1;
      }
      return undefined;
    },
    get isOpen() {
      return depth > 0;
    },
  };
}

const OPEN = 123;
const CLOSE = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}
