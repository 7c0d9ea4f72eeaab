// How the real world of a project is put together: nothing of a project counts before somebody said yes to it, and what a
// question shows is what its digest is of.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { trustProject } from "../../src/config/trust.ts";
import { approvalDigest } from "../../src/core/approval.ts";
import { classify } from "../../src/core/rule.ts";
import { defaultSettings } from "../../src/core/settings.ts";
import { sha256 } from "../../src/machine/index.ts";
import { realWorld } from "../../src/real-world.ts";
import { createThread, host, newThreadId } from "../../src/runtime/index.ts";
import { answers, StandIn } from "../provider/stand-in.ts";

const TOKEN = "pine9-otter3-violet7";
let folder: string;
let root: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "selvage-real-")));
  root = join(folder, "project");
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  vi.stubEnv("XDG_CONFIG_HOME", join(folder, "config"));
  vi.stubEnv("SERVICE_TOKEN", TOKEN);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function put(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const PROJECT = {
  "project/.ai/config/resilience.yaml": "retry: { max_retries: 9 }\n",
  "project/.ai/config/providers.yaml": "own: { protocol: openai, base_url: http://127.0.0.1:9 }\n",
  "project/.ai/config/hooks.yaml": "hooks:\n  - { id: own, event: before_step, command: 'true' }\n",
  "project/.ai/config/error_classification.yaml":
    "rules:\n  - { id: own, match: { text: own words }, category: transient }\n",
  "project/.ai/tools/own.yaml": "description: d\ncommand: 'true'\n",
};

/** What of the project counts. */
async function honoured() {
  const world = realWorld({ root, notify: () => {} });
  try {
    await world.ready?.();
    return {
      settings: world.settings.retry.max_retries !== defaultSettings.retry.max_retries,
      providers: world.model("own/model") !== undefined,
      hooks: (await world.hooks?.("work"))?.length !== 0,
      rules: classify({ kind: "http", status: 418, message: "own words" }, world.rules).rule === "own",
      tools: world.toolNames.includes("own"),
    };
  } finally {
    await world.close();
  }
}

test("nothing of a project counts before a yes, and everything after it", async () => {
  put(PROJECT);
  const all = (value: boolean) => ({
    ...{ settings: value, providers: value, hooks: value, rules: value, tools: value },
  });
  expect(await honoured()).toEqual(all(false));
  const { store, close } = realWorld({ root, notify: () => {} });
  trustProject(root, store.storeId, Date.now());
  await close();
  expect(await honoured()).toEqual(all(true));
  put({ "project/.ai/config/resilience.yaml": "retry: { max_retries: 8 }\n" });
  expect(await honoured()).toEqual(all(false));
});

test("a question that a failure with a secret leads to is asked, and digested, without it", async () => {
  const standIn = await StandIn.start();
  standIn.always = answers(503, { error: { message: `busy with ${TOKEN}` } });
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-stand-in");
  vi.stubEnv("ANTHROPIC_BASE_URL", standIn.url);
  put({ "config/selvage/resilience.yaml": "retry: { enabled: false }\n" });
  const world = realWorld({ root, notify: () => {} });
  const id = newThreadId(world, "work");
  const head = { name: "work", description: "", model: "anthropic/claude-sonnet-4-5", limits: {} };
  const directive = { ...head, body: "Go.", permissions: [], ask: [], delegates: [] };
  await createThread(world, id, { directive, inputs: {}, tools: [], by: "test" });
  await host(world, { scope: id, mayRecover: () => false, patienceMs: 1_000 });
  const [question] = await world.store.approvals({ threadId: id });
  const { approval_id: _, timeout_seconds: _seconds, digest, ...shown } = question?.approval ?? ({} as never);
  expect(shown.prompt).toContain("busy with [secret SERVICE_TOKEN]");
  expect(approvalDigest({ id, run: 1 }, shown, sha256)).toBe(digest);
  await world.close();
  await standIn.close();
});
