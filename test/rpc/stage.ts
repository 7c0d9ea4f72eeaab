/** `selvage rpc` as a process in a project of its own, and a client on its pipes. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RpcClient, type RpcEvent } from "../../src/surface/rpc/client.ts";
import { Place } from "../cli/cli.ts";

export const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

const PERMIT = ["--permit", "execute.tool.*"];

export interface Told {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was told
  readonly [field: string]: any;
}

/** A trusted project whose sessions follow this script. */
export async function project(script: string, files: Record<string, string> = {}): Promise<Place> {
  const place = new Place();
  await place.ok("init");
  place.write({ ".ai/scripts/talk.yaml": script, ...files });
  await place.ok("trust", "--yes");
  return place;
}

export function client(place: Place, ...args: readonly string[]): { rpc: RpcClient; events: RpcEvent[] } {
  const rpc = new RpcClient({
    cliPath: CLI,
    cwd: place.root,
    env: place.env as Record<string, string>,
    args: ["--model", "scripted/talk", ...PERMIT, ...args],
  });
  const events: RpcEvent[] = [];
  rpc.onEvent((event) => events.push(event));
  return { rpc, events };
}

/** The bare process, for what no client would do. */
export function raw(place: Place, ...args: readonly string[]) {
  const child: ChildProcess = spawn(
    process.execPath,
    [CLI, "rpc", "--model", "scripted/talk", ...PERMIT, ...args],
    { cwd: place.root, env: place.env, stdio: ["pipe", "pipe", "pipe"] },
  );
  const lines: Told[] = [];
  let rest = "";
  let stderr = "";
  const read = () =>
    child.stdout?.on("data", (bytes) => {
      const parts = (rest + bytes).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) lines.push(JSON.parse(part));
    });
  child.stderr?.on("data", (bytes) => {
    stderr += bytes;
  });
  child.stdin?.on("error", () => {});
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    ...{ child, lines, ended, read },
    write: (...values: readonly (object | string)[]) =>
      child.stdin?.write(
        values.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join(""),
      ),
    answers: () => lines.filter(({ type }) => type === "response"),
    stderr: () => stderr,
  };
}
