/** The tool host: a process that loads the modules of one project and runs their tools (D3). */
import { createRequire } from "node:module";
import { Socket } from "node:net";
import { join } from "node:path";
import { createJiti } from "jiti";
import { Problem } from "./core/problem.ts";
import { defineTool } from "./tool/define.ts";
import { LINE } from "./tool/guard.ts";
import { serve } from "./tool/host/serve.ts";

const root = process.argv[2] ?? process.cwd();

const jiti = createJiti(join(root, ".ai/tools/"), {
  fsCache: false, // its folder may be one that anybody can write to
  interopDefault: false,
  virtualModules: { selvage: { defineTool, Problem }, ...(await ownZod()) },
});

serve(new Socket({ fd: LINE }), (file) => jiti.import(file));

/** For projects without packages. One that has its own gets its own. */
async function ownZod(): Promise<Record<string, unknown>> {
  try {
    createRequire(join(root, ".ai/tools/")).resolve("zod");
    return {};
  } catch {
    return { zod: await import("zod"), "zod/mini": await import("zod/mini") };
  }
}
