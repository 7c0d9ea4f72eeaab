// Tools that a program hands in run in its own process: nobody can kill them, and nobody waits for them for ever.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { open } from "../../src/real-program.ts";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import { defineTool } from "../../src/tool/define.ts";
import { all } from "./stage.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-handed-"));
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  vi.stubEnv("XDG_CONFIG_HOME", join(folder, "config"));
  mkdirSync(join(folder, ".ai/config"), { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const input = { type: "object" };

test("one that hangs is given up in time, and what one returns is kept up to the cap", async () => {
  writeFileSync(
    join(folder, ".ai/config/resilience.yaml"),
    "tool: { timeout_seconds: 1, max_output_bytes: 1000 }\n",
  );
  const hang = defineTool({ name: "hang", description: "Hangs.", input, run: () => new Promise(() => {}) });
  const flood = defineTool({ name: "flood", description: "Floods.", input, run: () => "x".repeat(5_000) });
  const rt = await open(folder, { trust: true });
  const model = scripted([hang({}), flood({}), "Done."]);
  const thread = await rt.start({ prompt: "Go.", tools: [hang, flood], model });
  expect(await thread.result({ timeout: 20 })).toMatchObject({ status: "completed", text: "Done." });
  const results = (await all(thread.events())).filter(({ type }) => type === "tool_call_result");
  expect(results).toMatchObject([
    { tool: "hang", status: "error", output: expect.stringContaining("Timed out after 1 s.") },
    { tool: "flood", status: "error", output: expect.stringContaining("more than 1000 bytes") },
  ]);
  await rt.close();
});
