/** The commands that look at threads, and change nothing. */
import type { Command } from "commander";
import type { Play } from "../program.ts";
import { chainCommand } from "./chain.ts";
import { costCommand } from "./cost.ts";
import { eventsCommand } from "./events.ts";
import { logsCommand } from "./logs.ts";
import { psCommand } from "./ps.ts";
import { replayCommand } from "./replay.ts";
import { searchCommand } from "./search.ts";
import { showCommand } from "./show.ts";
import { statsCommand } from "./stats.ts";
import { treeCommand } from "./tree.ts";

export const LOOK_COMMANDS: readonly ((play: Play) => Command)[] = [
  psCommand,
  treeCommand,
  showCommand,
  logsCommand,
  eventsCommand,
  chainCommand,
  searchCommand,
  replayCommand,
  costCommand,
  statsCommand,
];
