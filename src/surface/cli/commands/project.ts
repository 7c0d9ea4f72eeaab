/** The commands about what a project is made of: its directives, hooks, models, rules and settings. */
import type { Command } from "commander";
import type { Play } from "../program.ts";
import { classifyCommand } from "./classify.ts";
import { configCommand } from "./config.ts";
import { directiveCommand } from "./directive.ts";
import { hooksCommand } from "./hooks.ts";
import { modelsCommand } from "./models.ts";

export const PROJECT_COMMANDS: readonly ((play: Play) => Command)[] = [
  directiveCommand,
  hooksCommand,
  modelsCommand,
  classifyCommand,
  configCommand,
];
