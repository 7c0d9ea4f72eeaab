/** The commands that act on threads there are: take up, stop, answer, let go on. */
import type { Command } from "commander";
import type { Play } from "../program.ts";
import { approvalsCommand } from "./approvals.ts";
import { approveCommand, denyCommand } from "./approve.ts";
import { budgetCommand } from "./budget.ts";
import { cancelCommand } from "./cancel.ts";
import { compactCommand } from "./compact.ts";
import { forkCommand } from "./fork.ts";
import { procCommand } from "./proc.ts";
import { recoverCommand } from "./recover.ts";
import { resumeCommand } from "./resume.ts";
import { retryCommand } from "./retry.ts";
import { revokeCommand } from "./revoke.ts";
import { rpcCommand } from "./rpc.ts";
import { sendCommand } from "./send.ts";
import { waitCommand } from "./wait.ts";

export const ACT_COMMANDS: readonly ((play: Play) => Command)[] = [
  approvalsCommand,
  approveCommand,
  denyCommand,
  resumeCommand,
  forkCommand,
  retryCommand,
  recoverCommand,
  waitCommand,
  sendCommand,
  compactCommand,
  cancelCommand,
  budgetCommand,
  revokeCommand,
  procCommand,
  rpcCommand,
];
