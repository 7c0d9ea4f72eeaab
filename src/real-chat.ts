/** What a chat keeps beside its journal, in the folder of a project. */
import type { ChatFiles } from "./core/chat-files.ts";
import type { ChatLog } from "./core/chat-log.ts";
import { threadsFolder } from "./real-store.ts";
import { chatFilesAt } from "./store/chat-files.ts";
import { chatLogIn } from "./store/chat-log.ts";

export function chatKeeps(root: string): { readonly chatFiles: ChatFiles; readonly chatLog: ChatLog } {
  return { chatFiles: chatFilesAt(root), chatLog: chatLogIn(threadsFolder(root)) };
}
