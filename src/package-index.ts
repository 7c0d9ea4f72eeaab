/** `selvage` as the package has it: `index.ts`, loaded as `programs.ts` says. */
import type * as Library from "./index.ts";
import { keepSoon, loaded } from "./programs.ts";

const library = loaded("program.js", () => require("./program.js")) as typeof Library;

export const { defineTool, RpcClient, RpcError, SelvageError, scripted } = library;

export const open: typeof Library.open = async (...asked) => {
  const opened = await library.open(...asked);
  keepSoon();
  return opened;
};
