/** The commands about what a project is made of: its directives, hooks, models, rules, settings, and who signed them. */
import type { Command } from "commander";
import type { Play } from "../program.ts";
import { bundleCommand } from "./bundle.ts";
import { classifyCommand } from "./classify.ts";
import { configCommand } from "./config.ts";
import { directiveCommand } from "./directive.ts";
import { hooksCommand } from "./hooks.ts";
import { modelsCommand } from "./models.ts";
import { signCommand } from "./sign.ts";
import { signerCommand } from "./signer.ts";

export const PROJECT_COMMANDS: readonly ((play: Play) => Command)[] = [
  directiveCommand,
  hooksCommand,
  modelsCommand,
  classifyCommand,
  configCommand,
  bundleCommand,
  signCommand,
  signerCommand,
];
