/** Tells what a running command last said, at most once a second (V2). */
import { oneLine } from "../core/text.ts";

const PAUSE_MS = 1_000;
const LONGEST_LINE = 200;

export interface LastLine {
  hear(text: string): void;
  end(): void;
}

export function lastLine(tell: (message: string) => void): LastLine {
  let recent = "";
  let told = "";
  let timer: NodeJS.Timeout | undefined;
  const tellNow = () => {
    const line = lineIn(recent);
    timer = undefined;
    if (line === "" || line === told) return;
    told = line;
    tell(line);
    timer = setTimeout(tellNow, PAUSE_MS);
  };
  return {
    hear: (text) => {
      recent = (recent + text).slice(-2_000);
      if (!timer) tellNow();
    },
    end: () => clearTimeout(timer),
  };
}

/** The last line with something on it. */
function lineIn(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => oneLine(line, LONGEST_LINE));
  return lines.findLast((line) => line !== "") ?? "";
}
