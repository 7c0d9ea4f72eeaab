/** Which values each argument and option takes: one table, beside that of the commands. */

export type ValueKind =
  /** Threads: all, or those in a state in which the command makes sense. */
  | "thread"
  | "live"
  | "moving"
  | "resumable"
  | "approval"
  | "directive"
  | "input"
  | "setting"
  | "code"
  | "kind"
  | "shell"
  | "view"
  | "event"
  | "topic"
  | "cost"
  | "stats"
  | "file";

/** By command, for each place; the last one stands for all that follow. */
const ARGUMENTS: Readonly<Record<string, readonly (ValueKind | undefined)[]>> = {
  run: ["directive", "input"],
  show: ["thread"],
  tree: ["thread"],
  logs: ["thread"],
  chain: ["thread"],
  cost: ["thread"],
  replay: ["thread"],
  export: ["thread"],
  fork: ["thread"],
  resume: ["resumable"],
  retry: ["moving"],
  recover: ["moving"],
  wait: ["live"],
  cancel: ["live"],
  send: ["live", undefined],
  compact: ["live"],
  budget: ["live"],
  revoke: ["live", undefined],
  "explain-denial": ["thread", undefined],
  approvals: ["approval"],
  approve: ["approval"],
  deny: ["approval"],
  "directive show": ["directive"],
  "directive lint": ["directive"],
  "hooks test": ["event"],
  "config get": ["setting"],
  "config set": ["setting", undefined],
  explain: ["code"],
  schema: ["kind"],
  completion: ["shell"],
  help: ["topic"],
  init: ["file"],
  sign: ["file"],
  verify: ["file"],
};

/** By option; with its command in front where that matters. */
const OPTIONS: Readonly<Record<string, ValueKind>> = {
  "--project": "file",
  "--input": "file",
  "--output": "file",
  "--bundle": "file",
  "--data": "file",
  "--file": "file",
  "--thread": "thread",
  "--root": "thread",
  "--chain": "thread",
  "--take": "live",
  "--status": "view",
  "cost --by": "cost",
  "stats --by": "stats",
};

export function valuesOf(command: string, place: number): ValueKind | undefined {
  const kinds = ARGUMENTS[command] ?? [];
  return kinds[Math.min(place, kinds.length - 1)];
}

export function optionValues(command: string, option: string): ValueKind | undefined {
  return OPTIONS[`${command} ${option}`] ?? OPTIONS[option];
}

/** Commands the table names, for the test that holds it against those there are. */
export function commandsWithValues(): string[] {
  return Object.keys(ARGUMENTS);
}
