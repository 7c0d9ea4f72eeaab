/** The commands about what a project is made of: its directives, hooks, models, rules, settings, and who signed them. */
import type { CommandTable } from "../program.ts";

export const PROJECT_COMMANDS: CommandTable = {
  directive: async () => (await import("./directive.ts")).directiveCommand,
  hooks: async () => (await import("./hooks.ts")).hooksCommand,
  models: async () => (await import("./models.ts")).modelsCommand,
  classify: async () => (await import("./classify.ts")).classifyCommand,
  config: async () => (await import("./config.ts")).configCommand,
  bundle: async () => (await import("./bundle.ts")).bundleCommand,
  sign: async () => (await import("./sign.ts")).signCommand,
  signer: async () => (await import("./signer.ts")).signerCommand,
};
