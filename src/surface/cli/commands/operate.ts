/** The commands about the whole: who hosts it, whether it is sound, what is handed to others, what goes, and what programs are told. */
import type { Command } from "commander";
import type { Play } from "../program.ts";
import { completionCommand } from "./completion.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { pruneCommand } from "./prune.ts";
import { schemaCommand } from "./schema.ts";
import { serveCommand } from "./serve.ts";
import { serviceCommand } from "./systemd-service.ts";
import { verifyCommand } from "./verify.ts";

export const OPERATE_COMMANDS: readonly ((play: Play) => Command)[] = [
  serveCommand,
  serviceCommand,
  doctorCommand,
  verifyCommand,
  exportCommand,
  pruneCommand,
  schemaCommand,
  completionCommand,
];
