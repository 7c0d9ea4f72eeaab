/** What a person leaves behind who stops a process beside its thread: the thread tells of it when it looks. */
import { replaceFile } from "../../disk/replace-file.ts";
import { makeFolder, type ProcessFiles, readNote } from "./files.ts";

interface StopNote {
  readonly by: string;
  readonly how?: "stopped" | "killed" | undefined;
}

/** Undefined: no person asked. */
export function stopNoteIn({ stop }: ProcessFiles): StopNote | undefined {
  const { by, how } = readNote(stop) ?? {};
  if (typeof by !== "string") return undefined;
  return how === "stopped" || how === "killed" ? { by, how } : { by };
}

/** A disk that takes nothing more keeps nobody from being stopped. */
export function noteStop({ folder, stop }: ProcessFiles, note: StopNote): void {
  try {
    makeFolder(folder);
    replaceFile(stop, JSON.stringify(note), { mode: 0o600 });
  } catch {
    // its thread will tell that it ended, and not who asked
  }
}
