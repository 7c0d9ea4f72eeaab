/** What docs/rpc.md shows is what happens, in that order, on one connection. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Place, until } from "./cli/cli.ts";
import { project, raw } from "./rpc/stage.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/rpc.md", import.meta.url)), "utf8");
const [, shown = ""] = /^```console\n([\s\S]*?)^```/m.exec(page) ?? [];
const lines = shown.trimEnd().split("\n");

let place: Place;
beforeAll(async () => {
  place = await project("- says: Hello.\n");
});
afterAll(() => place.remove());

/** `…` stands for whatever changes from run to run. */
function isShown(line: string, told: unknown): boolean {
  const parts = line.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`).test(JSON.stringify(told));
}

test("the example is a whole conversation", () => {
  expect(lines.filter((line) => line.startsWith("> ")).length).toBeGreaterThan(3);
  expect(lines.at(-1)).toContain("shutdown");
});

test("every line of it is sent, or comes back as it stands there", async () => {
  const server = raw(place);
  server.read();
  for (const line of lines) {
    if (line.startsWith("> ")) server.write(line.slice(2));
    else await until(() => server.lines.some((told) => isShown(line.slice(2), told)));
  }
  expect(await server.ended).toBe(0);
});
