/** The commands that look at threads, and change nothing. */
import type { CommandTable } from "../program.ts";

export const LOOK_COMMANDS: CommandTable = {
  ps: async () => (await import("./ps.ts")).psCommand,
  tree: async () => (await import("./tree.ts")).treeCommand,
  show: async () => (await import("./show.ts")).showCommand,
  logs: async () => (await import("./logs.ts")).logsCommand,
  events: async () => (await import("./events.ts")).eventsCommand,
  chain: async () => (await import("./chain.ts")).chainCommand,
  search: async () => (await import("./search.ts")).searchCommand,
  replay: async () => (await import("./replay.ts")).replayCommand,
  cost: async () => (await import("./cost.ts")).costCommand,
  stats: async () => (await import("./stats.ts")).statsCommand,
};
