/** Which project's files count for who looks at the configuration, and what is said about those that do not validate. */
import type { ConfigFile } from "../../core/configuration.ts";
import { Problem } from "../../core/problem.ts";
import type { Session } from "./session.ts";

/** Undefined: there is none here, and the user's settings are looked at alone. */
export function rootHere({ house, folder, flags }: Session): string | undefined {
  try {
    return house.findProject(folder);
  } catch (error) {
    // Who names a folder means the project in it.
    const isNone = error instanceof Problem && error.code === "E_NO_PROJECT";
    if (!isNone || flags.project !== undefined) throw error;
    return undefined;
  }
}

/** The project whose settings count; those of one that is not trusted do not (F7). */
export function honoured(session: Session): string | undefined {
  const root = rootHere(session);
  if (root === undefined || session.house.trustOf(root).trusted) return root;
  session.warn("This project is not trusted: its settings are not honoured.");
  return undefined;
}

export function tellWrong(session: Session, wrong: readonly ConfigFile[]): void {
  for (const { file, complaints } of wrong) {
    const [first] = complaints;
    const place = first ? `${first.line}:${first.column}: ${first.message}` : "it does not validate";
    session.warn(
      `${file}:${place}. What it says is left out here, and nothing runs with it: selvage config check`,
    );
  }
}
