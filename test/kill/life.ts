/** One project per life, and everything that must hold when it is over. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { foldThread } from "../../src/core/thread.ts";
import { sha256 } from "../../src/machine/index.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";

export const THREAD = "story-1767225600-000000";
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function newWorker(knobs: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), "selvage-kill-"));
  folders.push(root);
  const worker = fileURLToPath(new URL("./worker.mjs", import.meta.url));
  const env = { ...process.env, ...knobs, XDG_STATE_HOME: join(root, "state") };
  return { root, worker: { command: process.execPath, args: [worker, root], env } };
}

/** Everything that must hold after any number of kills. */
export async function judge(root: string): Promise<string[]> {
  const folder = join(root, ".ai", "threads");
  const path = join(folder, "registry.db");
  const needs = { now: Date.now, sha256, newId: () => "x", ownerState: () => "dead" as const };
  const store = openSqliteStore({ ...needs, path, durability: "strict" });
  const broken: string[] = [];
  const { findings } = await verifyStore(store, path, folder);
  broken.push(...findings.map((finding) => finding.what));
  const { events } = await store.load(THREAD);
  const thread = foldThread(THREAD, events);
  if (thread.status !== "completed") broken.push(`status is ${thread.status}`);
  const lines = readFileSync(join(root, "effects.log"), "utf8").split("\n").filter(Boolean);
  const repeated = lines.filter((line, index) => !line.startsWith("pure") && lines.indexOf(line) !== index);
  broken.push(...repeated.map((line) => `took effect twice: ${line}`));
  const results = events.flatMap((event) => (event.type === "tool_call_result" ? [event.call_id] : []));
  if (new Set(results).size !== results.length) broken.push("a call has two results");
  const turns = events.flatMap((event) => (event.type === "cognition_out" ? [event.turn] : []));
  if (new Set(turns).size !== turns.length) broken.push("a turn has two answers");
  const bash = readFileSync(join(root, "bash.log"), { encoding: "utf8", flag: "a+" });
  if (bash !== "bash\n" && bash !== "") broken.push(`bash ran ${bash.length / 5} times`);
  const unknown = events.some((event) => event.type === "tool_call_result" && event.status === "unknown");
  const cut = events.some((event) => event.type === "cognition_out" && event.truncated);
  if (bash === "" && !unknown && !cut) broken.push("bash did not run and nobody says so");
  await store.close();
  return broken;
}
