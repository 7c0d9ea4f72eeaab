import { describe, expect, test } from "vitest";
import { sweep } from "../../src/testing/index.ts";
import { stories } from "./stories.ts";

// A fifth of the second deaths in each run, another fifth with another seed; all of them in the campaign.
const isCampaign = process.env["SELVAGE_CAMPAIGN"] === "1";
const from = Number(process.env["SELVAGE_SEED"] ?? 1);
const twice = isCampaign ? true : { every: 5, from };

/** All lives with one death are the first half of those with two; only what is torn has no second. */
describe("death at every write, and recovery that itself dies", {
  timeout: isCampaign ? 7_200_000 : 180_000,
}, () => {
  test.each(stories)("$name", async (story) => {
    // A tree has many writes, and each of them as many after it.
    const some = story.children && !isCampaign ? { every: 29, from } : twice;
    const report = await sweep(story, { fates: ["landed", "lost"], twice: some });
    expect(report.broken).toEqual([]);
    expect(report.runs).toBeGreaterThan(2 * report.writes);
  });
});

describe("a write that is torn", { timeout: 180_000 }, () => {
  test.each(stories)("$name", async (story) => {
    const report = await sweep(story, { fates: ["torn"] });
    expect(report.broken).toEqual([]);
    expect(report.runs).toBe(1 + report.writes);
  });
});
