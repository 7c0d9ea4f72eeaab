// What a project says about itself is read for every message of a talk.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";

const place = new Place();
const memory = join(place.root, ".ai/memory.md");

beforeAll(async () => {
  await place.ok("init");
  place.write(scripted("chat", "- says: One.\n- says: Two.\n- says: Three.\n- says: Four.\n"));
  await place.ok("trust", "--yes");
});
afterAll(() => place.remove());

async function talk(line: string): Promise<string> {
  const { child, ended } = place.start(["chat"], {}, "pipe");
  child.stdin?.end(`${line}\n`);
  return (await ended).stdout;
}

/** The prompt that each message was answered with, where it changed. */
async function prompts(): Promise<string[]> {
  const [row] = (await place.json("ps", "--all")).data.threads;
  const told = readFileSync(join(place.root, ".ai/threads", row.thread_id, "transcript.jsonl"), "utf8");
  return told.split("\n").flatMap((line) => {
    const event = line === "" ? undefined : JSON.parse(line);
    return event?.type === "thread_created" || event?.type === "system_changed" ? [event.system] : [];
  });
}

test("memory that is written, deleted or not readable between two messages", async () => {
  expect(await talk("a")).toBe("One.\n");
  writeFileSync(memory, "Maya likes tea.");
  expect(await talk("b")).toBe("Two.\n");
  expect(await prompts()).toEqual([
    expect.not.stringContaining("tea"),
    expect.stringContaining("Maya likes tea."),
  ]);
  rmSync(memory);
  expect(await talk("c")).toBe("Three.\n");
  const [first, , third] = await prompts();
  expect(third).toBe(first);
  writeFileSync(memory, Buffer.from([0xff, 0xfe, 0x00]));
  expect(await talk("d")).toBe("Four.\n");
  expect((await prompts()).at(-1)).toContain("not UTF-8");
});
