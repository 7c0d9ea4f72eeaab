/** The commands that act on threads there are: take up, stop, answer, let go on. */
import type { CommandTable } from "../program.ts";

export const ACT_COMMANDS: CommandTable = {
  approvals: async () => (await import("./approvals.ts")).approvalsCommand,
  approve: async () => (await import("./approve.ts")).approveCommand,
  deny: async () => (await import("./approve.ts")).denyCommand,
  resume: async () => (await import("./resume.ts")).resumeCommand,
  fork: async () => (await import("./fork.ts")).forkCommand,
  retry: async () => (await import("./retry.ts")).retryCommand,
  recover: async () => (await import("./recover.ts")).recoverCommand,
  wait: async () => (await import("./wait.ts")).waitCommand,
  send: async () => (await import("./send.ts")).sendCommand,
  compact: async () => (await import("./compact.ts")).compactCommand,
  cancel: async () => (await import("./cancel.ts")).cancelCommand,
  budget: async () => (await import("./budget.ts")).budgetCommand,
  revoke: async () => (await import("./revoke.ts")).revokeCommand,
  proc: async () => (await import("./proc.ts")).procCommand,
  chat: async () => (await import("./chat.ts")).chatCommand,
  rpc: async () => (await import("./rpc.ts")).rpcCommand,
};
