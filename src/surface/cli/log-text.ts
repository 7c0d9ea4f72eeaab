/** A log line in columns: time, turn, what it is about, what happened. */
import type { LogLine } from "./log-line.ts";
import { clockTime } from "./moment.ts";
import type { Colours } from "./terminal.ts";

export interface LogStyle {
  readonly colours: Colours;
  /** Shown in front when lines of several threads mix. */
  readonly name?: string | undefined;
}

export function logText(ts: string, line: LogLine, { colours, name }: LogStyle): string {
  const turn = (line.turn === undefined ? "" : `turn ${line.turn}`).padEnd(8);
  const word = toned(line, colours)(line.word.padEnd(10));
  const columns = [colours.dim(clockTime(ts)), ...(name ? [name] : []), turn, word, line.text];
  return columns.join(" ").trimEnd();
}

function toned(line: LogLine, colours: Colours): (text: string) => string {
  switch (line.tone) {
    case "plain":
      return (text) => text;
    case "good":
      return colours.green;
    case "bad":
      return colours.red;
    case "loud":
      return colours.yellow;
  }
}
