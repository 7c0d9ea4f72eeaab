/** One line of a log, before it is put into columns. */

export interface LogLine {
  readonly turn: number | undefined;
  readonly word: string;
  readonly text: string;
  readonly tone: "plain" | "good" | "bad" | "loud";
}

export function say(
  turn: number | undefined,
  word: string,
  text: string,
  tone: LogLine["tone"] = "plain",
): LogLine {
  return { turn, word, text, tone };
}
