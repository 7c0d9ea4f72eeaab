import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { generatedPages } from "../scripts/docs-text.ts";
import { EVENTS } from "../src/core/event.ts";
import { settingLines } from "../src/core/settings.ts";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), "utf8");
const sources = readdirSync(path("src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => ({ name, text: read(`src/${name}`) }));

test.each(Object.entries(generatedPages()))(
  "%s is what the declarations say (npm run docs)",
  (name, text) => {
    expect(read(name)).toBe(text);
  },
);

describe("no dead words", () => {
  test.each(Object.keys(EVENTS))("somebody emits %s", (type) => {
    const emitters = sources.filter(
      ({ name, text }) => !name.startsWith("core/event") && new RegExp(`type: "${type}"`).test(text),
    );
    expect(emitters.map(({ name }) => name)).not.toEqual([]);
  });

  test.each(settingLines().map(({ key }) => key))("somebody reads the setting %s", (key) => {
    const last = key.split(".").at(-1) ?? key;
    const readers = sources.filter(
      ({ name, text }) =>
        name !== "core/settings.ts" && new RegExp(`\\.${last}\\b|\\b${last}[,:}]`).test(text),
    );
    expect(readers.map(({ name }) => name)).not.toEqual([]);
  });
});
