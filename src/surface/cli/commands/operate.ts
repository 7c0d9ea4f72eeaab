/** The commands that keep a project going: its host, and systemd's. */
import type { Command } from "commander";
import type { Play } from "../program.ts";
import { serveCommand } from "./serve.ts";
import { serviceCommand } from "./systemd-service.ts";

export const OPERATE_COMMANDS: readonly ((play: Play) => Command)[] = [serveCommand, serviceCommand];
