/** Finds out beforehand what a shell could only tell by exit codes that the command might use as well. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where the system looks when nobody tells it. */
const DEFAULT_PATH = "/bin:/usr/bin";

interface Sought {
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The code that starting it would fail with; undefined when there is no reason why it should. */
export function whyNotFound({ command, directory, environment }: Sought): "ENOENT" | "EACCES" | undefined {
  const folders = command.includes("/") ? [""] : (environment.PATH ?? DEFAULT_PATH).split(":");
  let code: "ENOENT" | "EACCES" = "ENOENT";
  for (const folder of folders) {
    const found = lookAt(resolve(directory, join(folder, command)));
    if (found === "runnable") return undefined;
    if (found === "not runnable") code = "EACCES"; // one further on may do
  }
  return code;
}

/** The first that can be run, by its whole path. */
export function whereIs(command: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, command)).find((path) => lookAt(path) === "runnable");
}

function lookAt(path: string): "runnable" | "not runnable" | "missing" {
  if (!existsSync(path)) return "missing"; // or not for us to see
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? "runnable" : "not runnable";
  } catch {
    return "not runnable";
  }
}
