/** Whether a process is ready: a line of its output says so, or something listens on its port. */
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import { connect } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { stripControls } from "../../core/text.ts";
import { openPlain } from "../../disk/open-plain.ts";
import type { Pattern } from "../linear-pattern.ts";

const LONGEST_LINE = 8_192;
const PIECE = 64 * 1_024;
const MOST_AT_ONCE = 4 * 1_024 * 1_024;
const CONNECT_MS = 500;
const HOSTS = ["127.0.0.1", "::1"];

/** True while somebody on this machine takes connections there. */
export async function isListening(port: number): Promise<boolean> {
  const answers = await Promise.all(HOSTS.map((host) => connects(host, port)));
  return answers.includes(true);
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_MS, () => done(false));
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}

export interface LogWatch {
  /** Reads what is new; true once a line has matched. */
  matches(): boolean;
  close(): void;
}

/** From the beginning of the log; on to the next one when it is put aside. A line may come in pieces. */
export function watchLog(path: string, pattern: Pattern): LogWatch {
  let file: number | undefined;
  let offset = 0;
  let line = "";
  let decoder = new StringDecoder("utf8");
  const piece = Buffer.alloc(PIECE);
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const open = () => {
    const opened = openPlain(path);
    if (!("file" in opened)) return;
    file = opened.file;
    offset = 0;
    decoder = new StringDecoder("utf8");
  };
  const hears = (text: string): boolean => {
    const [first = "", ...rest] = text.split("\n");
    const lines = [line + first, ...rest].map((each) => each.slice(0, LONGEST_LINE));
    line = lines.at(-1) ?? "";
    // The last one may have no end yet, and never get one: `Listening: `.
    return lines.some((each) => pattern.test(stripControls(each)));
  };
  const matches = (): boolean => {
    if (file === undefined) open();
    for (let read = 0; file !== undefined && read < MOST_AT_ONCE; ) {
      const got = readSync(file, piece, 0, PIECE, offset);
      offset += got;
      read += got;
      if (got > 0 && hears(decoder.write(piece.subarray(0, got)))) return true;
      if (got > 0) continue;
      if (isCurrent(path, file)) return false;
      close();
      open();
    }
    return false;
  };
  return { matches, close };
}

function isCurrent(path: string, file: number): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return !now || now.ino === fstatSync(file).ino;
}
