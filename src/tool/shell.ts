/** Runs a line of shell: with bash, or where there is none with sh. */
import { type GroupEnd, type GroupJob, runGroup } from "./process-group.ts";

export async function runShell(line: string, job: Omit<GroupJob, "command" | "args">): Promise<GroupEnd> {
  const runIn = (shell: string) => runGroup({ ...job, command: shell, args: ["-c", line] });
  const end = await runIn("bash");
  const isMissing = end.type === "could_not_start" && end.code === "ENOENT";
  return isMissing ? runIn("sh") : end;
}
