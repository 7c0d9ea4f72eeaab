/** The folder or file that a looking tool was asked for, as it really stands. */
import { lstatSync } from "node:fs";
import { resolvePlace } from "./project-path.ts";

export interface Place {
  readonly path: string;
  readonly kind: "file" | "folder";
}

/** Throws, in words, for what is not there or may not be looked at. */
export function placeOf(projectRoot: string, asked = "."): Place {
  const resolved = resolvePlace(projectRoot, asked);
  if (resolved.complaint !== undefined) throw new Error(`${asked}: ${resolved.complaint}`);
  const stat = lstatSync(resolved.path, { throwIfNoEntry: false });
  if (!stat) throw new Error(`${asked}: there is no such file or folder`);
  if (!stat.isFile() && !stat.isDirectory()) throw new Error(`${asked}: it is neither a file nor a folder`);
  return { path: resolved.path, kind: stat.isFile() ? "file" : "folder" };
}
