/** The composition root: hands the surfaces what they need of the rooms. */
import { configuration } from "./config/configuration.ts";
import { readHooks } from "./config/hooks.ts";
import { initProject } from "./config/init.ts";
import { makeOperatorToken } from "./config/operator.ts";
import { findProject } from "./config/project.ts";
import { surveyProject, trustProject } from "./config/trust.ts";
import type { TrustSurvey } from "./core/trust-survey.ts";
import type { Notice } from "./core/world.ts";
import { directivesOf } from "./directive/directives.ts";
import { bundles } from "./real-bundles.ts";
import { realChecks } from "./real-checks.ts";
import { entryNamed } from "./real-entries.ts";
import { exportThread, threadFilesOf } from "./real-exports.ts";
import { glance } from "./real-glance.ts";
import { failureRules } from "./real-policies.ts";
import { redactKnown } from "./real-redaction.ts";
import { trustAgain, trustOf } from "./real-store.ts";
import { surroundings } from "./real-surroundings.ts";
import { realWorld } from "./real-world.ts";
import type { House, OpenProject } from "./surface/cli/house.ts";
import { VERSION } from "./version.ts";

export const house: House = {
  version: VERSION,
  program: [process.execPath, entryNamed("cli.js")],
  redact: redactKnown(),
  findProject: (from) => findProject(from).root,
  init: (folder, options) => initProject(folder, options),
  open: openProject,
  // Few commands need it, and every cold start would pay for it.
  openProgram: async (root, options) => (await import("./real-program.ts")).open(root, options),
  glance,
  trustOf: (root) => {
    const trust = trustOf(root);
    return { trusted: trust.type === "trusted", changedFiles: trust.type === "changed" ? trust.files : [] };
  },
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

function openProject(root: string, notify: (notice: Notice) => void, purpose: "look" | "work"): OpenProject {
  const world = realWorld({ root, notify, purpose });
  const { store, clock } = world;
  const trust = (seen?: TrustSurvey) => {
    trustProject(root, store.storeId, clock.now(), undefined, seen);
    // Whoever says yes to a project may answer its questions.
    makeOperatorToken();
  };
  const directives = directivesOf(root, world.trusted ? world : undefined);
  return {
    root,
    world,
    trusted: world.trusted,
    changedFiles: world.changedFiles,
    trust,
    survey: () => surveyProject(root, store.storeId),
    ...directives,
    hooks: () => readHooks(world.trusted ? root : undefined),
    newDirective: (name, choice) => {
      const written = directives.newDirective(name, choice);
      // Our own words in a project that was trusted a moment ago: nobody should be asked about them.
      trust();
      return written;
    },
    requireModel: (name) => world.requireModel(name),
    keyVariables: (model) => world.keyVariables(model),
    get tools() {
      return world.toolNames;
    },
    toolProblem: (name) => world.toolProblem(name),
    sandbox: () => world.sandbox(),
    ...realChecks(world, root),
    exportFiles: (threadId) => exportThread(world, root, threadId),
    files: threadFilesOf(root),
    close: () => world.close(),
  };
}
