/** One line of the report. */
import type { Team } from "../team.ts";

export interface Row {
  readonly what: string;
  readonly found: string;
  /** What issue 9 asks for; empty where it asks for nothing. */
  readonly mark: string;
}

export interface Setting {
  readonly team: Team;
  readonly quick: boolean;
  readonly root: string;
}

export function row(what: string, found: string, mark = ""): Row {
  return { what, found, mark };
}
