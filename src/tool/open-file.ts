/** Opens a file of the project for reading, or says in words why not. */
import { constants, readdirSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { closest } from "../core/closest.ts";
import { messageOf } from "../core/input.ts";
import { binaryKind, HEAD_BYTES } from "./file-kind.ts";
import { isOurs, resolveInProject } from "./project-path.ts";
import { requirePlace } from "./same-place.ts";

export interface OpenText {
  /** Its real path. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly size: number;
}

/** Throws for what is not there, not a text file, or not for a tool to see. The caller closes it. */
export async function openText(projectRoot: string, asked: string): Promise<OpenText> {
  const resolved = resolveInProject(projectRoot, asked);
  if (resolved.complaint !== undefined) throw new Error(resolved.complaint);
  const { path } = resolved;
  const handle = await opened(path, projectRoot);
  try {
    requirePlace(handle.fd, path);
    return { path, handle, size: await textSize(handle) };
  } catch (cause) {
    await handle.close(); // whatever it was that was opened, nobody will read it
    throw cause;
  }
}

/** Not blocking: a pipe that nobody writes to would hold a thread of ours for ever. */
async function opened(path: string, root: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(code === "ENOENT" ? missing(path, root) : messageOf(cause));
  }
}

function missing(path: string, root: string): string {
  const [meant] = closest(basename(path), namesIn(dirname(path), root));
  return `there is no such file${meant ? `; did you mean ${meant}?` : ""}`;
}

/** Only a help: a folder that cannot be listed has no names. */
function namesIn(folder: string, root: string): string[] {
  const own = isOurs(root);
  try {
    return readdirSync(folder).filter((name) => !own(join(folder, name)));
  } catch {
    return [];
  }
}

async function textSize(handle: FileHandle): Promise<number> {
  const stat = await handle.stat();
  if (stat.isDirectory()) throw new Error("it is a folder; `ls` lists it");
  if (!stat.isFile()) throw new Error("it is not an ordinary file");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const kind = binaryKind(buffer.subarray(0, bytesRead));
  if (kind) throw new Error(`it is ${kind} of ${stat.size} bytes, not text`);
  return stat.size;
}
