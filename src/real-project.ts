/** A project that is open for the command line: its world, and what its commands ask of the rooms. */
import { readHooks } from "./config/hooks.ts";
import { makeOperatorToken } from "./config/operator.ts";
import { surveyProject, trustProject } from "./config/trust.ts";
import type { TrustSurvey } from "./core/trust-survey.ts";
import type { Notice } from "./core/world.ts";
import { directivesOf } from "./directive/directives.ts";
import { realChecks } from "./real-checks.ts";
import { exportThread, threadFilesOf } from "./real-exports.ts";
import { realWorld } from "./real-world.ts";
import type { OpenProject, TrustState } from "./surface/cli/house.ts";

export function openProject(
  root: string,
  notify: (notice: Notice) => void,
  purpose: "look" | "work",
  known?: TrustState,
): OpenProject {
  const world = realWorld({ root, notify, purpose, trust: known });
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
    modelOfTier: (tier) => world.modelOfTier(tier),
    keyVariables: (model) => world.keyVariables(model),
    get tools() {
      return world.toolNames;
    },
    toolProblem: (name) => world.toolFiles.problem(name),
    lookAtTools: () => world.toolFiles.look(),
    sandbox: () => world.sandbox(),
    seekSandbox: () => world.seekSandbox(),
    ...realChecks(world, root),
    exportFiles: (threadId) => exportThread(world, root, threadId),
    files: threadFilesOf(root),
    close: () => world.close(),
  };
}
