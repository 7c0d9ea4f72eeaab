/** Files that an agent hands to the people it talks with: what its call came to is all that the chat needs to know. */
import { safeNames } from "./chat-attachment.ts";
import type { Event } from "./event.ts";

/** Offered where people talk, to who may use it. */
export const SEND_FILE = "send_file";

/** Larger ones no platform takes from a bot. */
export const MOST_SENT = 50_000_000;

export interface SentFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** From the project's root. */
  readonly path: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" },
  ...{ svg: "image/svg+xml", pdf: "application/pdf", json: "application/json", zip: "application/zip" },
  ...{ csv: "text/csv", md: "text/markdown", html: "text/html", diff: "text/x-diff", patch: "text/x-diff" },
  ...{ txt: "text/plain", log: "text/plain", yaml: "text/plain", yml: "text/plain", ts: "text/plain" },
};

export function sentFile(path: string, bytes: number): SentFile {
  const [name = "file"] = safeNames([path]);
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const type = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
  return { name, type: type ?? "application/octet-stream", bytes, path };
}

export function sentText(file: SentFile): string {
  return JSON.stringify({ sends: file });
}

/** Undefined: this call hands nothing over. */
export function sentIn({ tool, status, output }: Event<"tool_call_result">): SentFile | undefined {
  if (tool !== SEND_FILE || status !== "ok") return undefined;
  try {
    const { sends } = JSON.parse(output);
    return typeof sends?.name === "string" && typeof sends.path === "string" ? sends : undefined;
  } catch {
    return undefined; // a tool of the project that has this name
  }
}
