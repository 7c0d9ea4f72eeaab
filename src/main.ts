/** The composition root: hands the surfaces what they need of the rooms. */
import { configuration } from "./config/configuration.ts";
import { initProject } from "./config/init.ts";
import { findProject } from "./config/project.ts";
import { bundles } from "./real-bundles.ts";
import { entryNamed } from "./real-entries.ts";
import { glance } from "./real-glance.ts";
import { failureRules } from "./real-policies.ts";
import { openProject } from "./real-project.ts";
import { redactKnown } from "./real-redaction.ts";
import { trustAgain, trustStateOf } from "./real-store.ts";
import { surroundings } from "./real-surroundings.ts";
import type { House } from "./surface/cli/house.ts";
import { VERSION } from "./version.ts";

export const house: House = {
  version: VERSION,
  program: [process.execPath, entryNamed("cli.js")],
  redact: redactKnown,
  findProject: (from) => findProject(from).root,
  init: (folder, options) => initProject(folder, options),
  open: openProject,
  chatSettings: async (root) => (await import("./config/chat.ts")).readChat(root),
  chatKeeps: async (root) => (await import("./real-chat.ts")).chatKeeps(root),
  // Few commands need it, and every cold start would pay for it.
  openProgram: async (root, options) => (await import("./real-program.ts")).open(root, options),
  glance,
  trustOf: trustStateOf,
  failureRules,
  surroundings,
  bundles,
  config: {
    ...configuration,
    set: (root, wish) => {
      const change = configuration.set(root, wish);
      if (root !== undefined && wish.layer === "project") trustAgain(root, change.file);
      return change;
    },
  },
};
