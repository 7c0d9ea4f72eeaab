// Walls that other attacks do not lean against: what is hidden is not even written to, sockets of the machine are out of
// reach, and once there were walls nothing runs without them.
import { existsSync, renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { wallsAround } from "../../src/tool/walls.ts";
import { scene } from "./sandbox.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("what is hidden is empty, and cannot be written", async () => {
  const { bash, tokenPath } = await scene({ mode: "required" });
  const state = dirname(tokenPath);
  expect(await bash(`ls -A ${state}; echo x > ${state}/made; cat ${state}/made && echo made`)).not.toContain(
    "made\n",
  );
  expect(existsSync(join(state, "made"))).toBe(false);
});

test("nothing of /run is there", async () => {
  const { bash, root } = await scene({ mode: "required" });
  const walls = wallsAround({ projectRoot: root, hidden: [] });
  expect("args" in walls && walls.args.join(" ")).toContain("--tmpfs /run");
  const path = `/run/selvage-test-${process.pid}.sock`;
  const server = createServer();
  onTestFinished(() => void server.close());
  // Where we may not put one there, what others have put there must not be seen all the same.
  await new Promise<void>((resolve) => server.once("error", () => resolve()).listen(path, () => resolve()));
  expect(await bash("find /run -type s; echo looked")).toBe("looked\n");
});

test.each(["auto", "required"] as const)(
  "where there were walls and there can be none any more, nothing runs (%s)",
  async (mode) => {
    const { bash, root, sandbox } = await scene({ mode });
    expect(sandbox.state().type).toBe("bubblewrap");
    expect(await bash("echo works")).toBe("works\n");
    renameSync(join(root, ".ai/threads"), join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(root, ".ai/threads"));
    expect(await bash("echo ran > effect; echo ran")).toContain("is not a folder of the project's own");
    expect(existsSync(join(root, "effect"))).toBe(false);
  },
);
