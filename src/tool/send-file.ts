/**
 * `send_file`: hands a file of the project to the people of a chat. What is sent is the file as it is now: a copy is kept with the
 * thread until that is pruned, so that nothing that happens to it later matters.
 */
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { MOST_SENT, SEND_FILE, sentFile, sentText } from "../core/chat-send.ts";
import { messageOf, zodInput } from "../core/input.ts";
import { bytes } from "../core/moment.ts";
import type { Tool, ToolContext, ToolOutcome } from "../core/tool.ts";
import { putWhole } from "../disk/whole-file.ts";
import { toolFrom } from "./contract.ts";
import { resolveInProject } from "./project-path.ts";
import { requirePlace } from "./same-place.ts";

const Input = () =>
  z.object({
    path: z.string().check(z.describe("The file, from the project's folder.")),
  });

export function sendFileTool(projectRoot: string): Tool {
  return toolFrom({
    name: SEND_FILE,
    description:
      "Sends a file of the project to the chat that you are talking in: a picture, a table, a diff, a report.",
    input: zodInput(Input),
    // The copy bears the name of the call: made again, it is the same, and it is delivered once.
    effect: "keyed",
    run: ({ path }, context) => send(projectRoot, path, context),
  });
}

async function send(root: string, asked: string, { threadId, callKey }: ToolContext): Promise<ToolOutcome> {
  try {
    const data = await readWhole(root, asked);
    const folder = join(root, ".ai", "threads", threadId, "outgoing");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await putWhole(folder, callKey, data);
    return { status: "ok", output: sentText(sentFile(asked, data.length)) };
  } catch (cause) {
    return { status: "error", output: `${asked} was not sent: ${messageOf(cause)}.` };
  }
}

async function readWhole(root: string, asked: string): Promise<Uint8Array> {
  const resolved = resolveInProject(root, asked);
  if (resolved.complaint !== undefined) throw new Error(resolved.complaint);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(resolved.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((cause) => {
    throw new Error(cause.code === "ENOENT" ? "there is no such file" : messageOf(cause));
  });
  try {
    requirePlace(file.fd, resolved.path);
    const found = await file.stat();
    if (!found.isFile()) throw new Error("it is not an ordinary file");
    if (found.size > MOST_SENT)
      throw new Error(`it has ${bytes(found.size)}, and ${bytes(MOST_SENT)} are the most`);
    const data = new Uint8Array(found.size);
    const { bytesRead } = await file.read(data, 0, found.size, 0);
    return data.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
