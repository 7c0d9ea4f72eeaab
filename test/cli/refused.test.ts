// What was refused is told with its true reason: an answer in a file, and a key.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directive, Place } from "./cli.ts";

let place: Place;
let server: Server | undefined;
beforeEach(async () => {
  place = new Place({
    ...directive("work", "limits: { turns: 1 }\n"),
    ".ai/scripts/work.yaml": "- says: one\n  calls: [{ tool: ls, input: {} }]\n- says: two\n",
  });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  server?.close();
  server = undefined;
  place.remove();
});

test("an answer beside a token that others may read is refused for that, not for its token", async () => {
  const { data } = await place.json("run", "work");
  const operator = join(place.folder, "state/selvage/operator");
  const token = readFileSync(operator, "utf8").trim();
  chmodSync(operator, 0o644);
  const folder = join(place.root, ".ai/threads", data.thread_id, "approvals");
  mkdirSync(folder, { recursive: true });
  const answer = JSON.stringify({ approved: true, operator_token: token });
  writeFileSync(join(folder, `${data.approval}.response.json`), answer);
  const { warnings } = await place.json("recover", "--scan");
  expect(warnings.join()).toContain("cannot be used: others than its owner may read or write it");
  expect(warnings.join()).not.toContain(token);
});

test("a key that is refused is named by its variable, never by its value", async () => {
  const listening = createServer((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}');
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  place.write({
    ".ai/directives/ask.md":
      '---\ndescription: x\nmodel: { id: anthropic/claude-haiku-4-5 }\nlimits: { spend: "1.00" }\n---\nDo it.\n',
  });
  const { code, stdout, stderr } = await place.run(["run", "ask"], {
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: "sk-ant-not-a-real-one-0123456789",
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /next +export ANTHROPIC_API_KEY=… +the key was read from ANTHROPIC_API_KEY: set another\n/,
  );
  expect(stderr).toMatch(/ +selvage run ask +starts a new one/);
  expect(stderr).toMatch(/ +selvage logs ask-\S+ +what the provider said\n/);
  expect(stdout + stderr).not.toContain("not-a-real-one");
});
