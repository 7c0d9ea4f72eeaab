/** The commands about the whole: whether it is sound, what is handed to others, what goes, and what programs are told. */
import type { Command } from "commander";
import type { Play } from "../program.ts";
import { completionCommand } from "./completion.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { pruneCommand } from "./prune.ts";
import { schemaCommand } from "./schema.ts";
import { verifyCommand } from "./verify.ts";

export const OPERATE_COMMANDS: readonly ((play: Play) => Command)[] = [
  doctorCommand,
  verifyCommand,
  exportCommand,
  pruneCommand,
  schemaCommand,
  completionCommand,
];
