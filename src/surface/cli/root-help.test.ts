import { expect, test } from "vitest";
import { allCommands, buildProgram } from "./program.ts";
import { rootHelp } from "./root-help.ts";

const commands = await allCommands();

test.each([undefined, 0, 30, 60, 79, 80, 81, 82, 100, 120, 200])(
  "on %s columns it is what the parser prints",
  (columns) => {
    const program = buildProgram({ play: async () => {}, write: () => {} }, commands);
    if (columns !== undefined) program.configureOutput({ getOutHelpWidth: () => columns });
    expect(rootHelp(columns)).toBe(program.helpInformation());
  },
);
