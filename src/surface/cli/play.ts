/** Lets the parser find out what was asked, and does it. */
import { CommanderError } from "commander";
import type { Answer } from "./answer.ts";
import type { House } from "./house.ts";
import { buildProgram, COMMAND_NAMES, commandsFor } from "./program.ts";
import { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";
import { usageProblem } from "./usage.ts";

type Played = { readonly answer: Answer; readonly session: Session } | { readonly help: string };

export async function play(argv: readonly string[], house: House, terminal: Terminal): Promise<Played> {
  let help = "";
  let done: Played | undefined;
  const stage = {
    write: (text: string) => {
      help += text;
    },
    play: async (act: (session: Session) => Promise<Answer>, flags: Session["flags"]) => {
      const session = new Session(house, terminal, flags);
      try {
        done = { answer: await act(session), session };
      } finally {
        await session.close();
      }
    },
  };
  const program = buildProgram(stage, await commandsFor(argv));
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (help === "" || error.exitCode !== 0) throw usageProblem(error, argv, COMMAND_NAMES);
  }
  return done ?? { help };
}
