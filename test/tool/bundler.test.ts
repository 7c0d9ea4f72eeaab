// Bundles and signatures in the hands of a model: it prepares, a person signs.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place } from "../cli/cli.ts";

let place: Place;
beforeEach(() => {
  place = new Place({ ".ai/knowledge/facts.md": "Facts.\n" });
});
afterEach(() => place.remove());

const at = (path: string) => join(place.root, path);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const keyPath = () => join(place.folder, "state/selvage/signing-key.pem");

/** A thread that makes these calls, one in each turn. */
async function thread(permissions: string, ...calls: object[]) {
  const script = calls.map((call) => `- calls: [${JSON.stringify(call)}]\n`).join("");
  place.write({
    ".ai/directives/job.md": `---\nmodel: { id: scripted/job }\npermissions: [${permissions}]\n---\nDo it.\n`,
    ".ai/scripts/job.yaml": `${script}- says: done\n`,
  });
  await place.ok("trust", "--yes");
  return place.json("run", "job");
}

async function results(id: string): Promise<{ status: string; output: string }[]> {
  const { stdout } = await place.run(["logs", id, "--jsonl"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .flatMap((line) => (line.type === "tool_call_result" ? [line] : []));
}

describe("bundler", () => {
  const call = (input: object) => ({ tool: "bundler", input });

  test("makes a bundle that nobody signed, tells what is in it, and what is wrong with it", async () => {
    const run = await thread(
      "execute.tool.bundler",
      call({ action: "create", bundle_id: "kit", paths: [".ai/knowledge"] }),
      call({ action: "inspect", bundle_id: "kit" }),
      call({ action: "verify", bundle_id: "kit" }),
      call({ action: "create", bundle_id: "out", paths: ["../.."] }),
      call({ action: "verify", bundle_id: "none" }),
    );
    expect(run.exit).toBe(0);
    const [created, inspected, verified, outside, none] = await results(run.data.thread_id);
    expect(JSON.parse(created?.output ?? "")).toMatchObject({ signed: false, files: 1 });
    expect(inspected?.output).toContain(sha256("Facts.\n"));
    expect(JSON.parse(verified?.output ?? "")).toMatchObject({ ok: false, signature: "none" });
    expect(outside).toMatchObject({
      status: "error",
      output: expect.stringContaining("leads out of the project"),
    });
    expect(none).toMatchObject({ status: "error", output: expect.stringContaining("E_BUNDLE_NOT_FOUND") });
    expect(existsSync(keyPath())).toBe(false);
    await place.ok("sign", "bundle:kit");
    await place.ok("bundle", "verify", "kit");
  });

  test("does not write over what a person signed", async () => {
    await place.ok("init");
    await place.ok("trust", "--yes");
    await place.ok("bundle", "create", "kit", ".ai/knowledge");
    const before = readFileSync(at(".ai/bundles/kit/manifest.yaml"), "utf8");
    const run = await thread("execute.tool.*", call({ action: "create", bundle_id: "kit" }));
    const [created] = await results(run.data.thread_id);
    expect(created).toMatchObject({ status: "error", output: expect.stringContaining("E_EXISTS") });
    expect(readFileSync(at(".ai/bundles/kit/manifest.yaml"), "utf8")).toBe(before);
  });
});

describe("sign", () => {
  const call = (sha: string) => ({
    tool: "sign",
    input: { item_type: "knowledge", item_id: "facts", sha256: sha },
  });
  const RIGHTS = "execute.tool.*, sign.knowledge.facts";

  test("is refused to who has every tool and no right to sign, and nobody is asked", async () => {
    const run = await thread("execute.tool.*", call(sha256("Facts.\n")));
    expect(run.exit).toBe(0);
    const [refused] = await results(run.data.thread_id);
    expect(refused).toMatchObject({
      status: "error",
      output: expect.stringContaining("sign.knowledge.facts"),
    });
    expect(existsSync(keyPath())).toBe(false);
  });

  test("with the right, a person is asked, and a yes signs", async () => {
    const run = await thread(RIGHTS, call(sha256("Facts.\n")));
    expect(run).toMatchObject({ exit: 3, data: { suspend_reason: "approval" } });
    expect(existsSync(keyPath())).toBe(false);
    expect(readFileSync(at(".ai/knowledge/facts.md"), "utf8")).toBe("Facts.\n");
    await place.ok("approve", run.data.approval);
    await place.ok("verify", "knowledge:facts");
  });

  test("a no signs nothing", async () => {
    const run = await thread(RIGHTS, call(sha256("Facts.\n")));
    expect((await place.run(["deny", run.data.approval])).code).toBe(0);
    expect(readFileSync(at(".ai/knowledge/facts.md"), "utf8")).toBe("Facts.\n");
    expect(existsSync(keyPath())).toBe(false);
  });

  test("a yes is to the bytes that were named: what changed since is not signed", async () => {
    const run = await thread(RIGHTS, call(sha256("Facts.\n")));
    place.write({ ".ai/knowledge/facts.md": "Other facts.\n" });
    await place.ok("approve", run.data.approval);
    const [refused] = await results(run.data.thread_id);
    expect(refused).toMatchObject({
      status: "error",
      output: expect.stringContaining(sha256("Other facts.\n")),
    });
    expect((await place.json("verify", "knowledge:facts")).exit).toBe(1);
    expect(existsSync(keyPath())).toBe(false);
  });
});
