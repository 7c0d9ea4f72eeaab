/** A story that cannot go on, with the last words of the process that should have. */
import { Problem } from "../../../core/problem.ts";
import { oneLine } from "../../../core/text.ts";
import type { ChildEnd } from "./child.ts";

export function brokenStory(what: string, end?: ChildEnd): Problem {
  const words = end && lastWords(end);
  const how = end && `Its process ended with ${end.signal ?? `exit code ${end.code}`}`;
  const isFull = words !== undefined && /ENOSPC|no space|disk is full|E_DISK/i.test(words);
  return new Problem(isFull ? "E_DISK" : "E_INTERNAL", {
    what: `The demo could not go on: ${what}.`,
    why: [how, words].filter(Boolean).join(": ") || "Nothing happened for too long.",
    next: [
      {
        cmd: "selvage demo --dir FOLDER",
        why: isFull ? "a folder with room" : "plays in FOLDER and keeps it",
      },
    ],
  });
}

/** The error that it printed for programs; else the end of what it said to people. */
function lastWords({ stdout, stderr }: ChildEnd): string {
  try {
    const { what, why } = JSON.parse(stdout).error;
    return oneLine([what, why].filter(Boolean).join(" "), 300);
  } catch {
    return oneLine(stderr.trim().split("\n").slice(-4).join(" "), 300);
  }
}
