import { describe, expect, test } from "vitest";
import { sweep } from "../../src/testing/index.ts";
import { stories } from "./stories.ts";

describe("death at every write", () => {
  test.each(stories)("$name", async (story) => {
    const report = await sweep(story);
    expect(report.broken).toEqual([]);
    expect(report.runs).toBe(1 + 3 * report.writes);
  });
});

describe("recovery that itself dies", () => {
  test.each(stories)("$name", async (story) => {
    const report = await sweep(story, { fates: ["landed", "lost"], twice: true });
    expect(report.broken).toEqual([]);
    expect(report.runs).toBeGreaterThan(2 * report.writes);
  });
});
