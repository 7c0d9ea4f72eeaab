/** The commands about the whole: who hosts it, whether it is sound, what is handed to others, what goes, and what programs are told. */
import type { CommandTable } from "../program.ts";

export const OPERATE_COMMANDS: CommandTable = {
  serve: async () => (await import("./serve.ts")).serveCommand,
  service: async () => (await import("./systemd-service.ts")).serviceCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  verify: async () => (await import("./verify.ts")).verifyCommand,
  export: async () => (await import("./export.ts")).exportCommand,
  prune: async () => (await import("./prune.ts")).pruneCommand,
  schema: async () => (await import("./schema.ts")).schemaCommand,
  completion: async () => (await import("./completion.ts")).completionCommand,
};
