/** Numbers on the command line. */
import { InvalidArgumentError } from "commander";

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(seconds > 0))
    throw new InvalidArgumentError("Seconds are a number above 0.");
  return seconds;
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError("It is a whole number from 1.");
  }
  return count;
}

/** A place in the feed. */
export function parseCursor(text: string): number {
  const cursor = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(cursor)) {
    throw new InvalidArgumentError("It is a whole number from 0.");
  }
  return cursor;
}

const MOST_LINES = 100;

/** Lines around a place. */
export function parseLines(text: string): number {
  const lines = Number(text);
  if (!/^\d+$/.test(text) || lines > MOST_LINES) {
    throw new InvalidArgumentError(`It is a whole number from 0 to ${MOST_LINES}.`);
  }
  return lines;
}

/** 0: any that is free. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("It is a whole number from 0 to 65535.");
  }
  return port;
}
