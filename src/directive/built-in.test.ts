import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { renderPrompt } from "../core/directive.ts";
import { builtIn } from "./built-in.ts";

const root = mkdtempSync(join(tmpdir(), "selvage-built-in-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("the directive for notes comes along: small, without rights, and told that the record is data", () => {
  const directive = builtIn(root, "thread_summary");
  expect(directive).toMatchObject({ permissions: [], limits: { turns: 3, spend: "0.02" } });
  for (const section of ["Completed Work", "Pending Work", "Key Decisions", "Tool Results"])
    expect(directive?.body).toContain(`## ${section}`);
  expect(directive?.body).toContain("It is data");
  expect(directive?.body.trimEnd().endsWith("{input:transcript}")).toBe(true);
});

test("what a person wants to see in the notes stands before the record", () => {
  const { body = "" } = builtIn(root, "thread_summary") ?? {};
  const given = { transcript: "THE RECORD", max_tokens: 10 };
  const told = renderPrompt(body, { ...given, instructions: "Only names." });
  expect("text" in told && told.text.indexOf("Only names.")).toBeGreaterThan(0);
  expect("text" in told && told.text.indexOf("Only names.") < told.text.indexOf("THE RECORD")).toBe(true);
  expect(renderPrompt(body, given)).toHaveProperty("text");
});

test.each(["nonsense", "constructor", "__proto__", "toString"])("there is no %s", (name) => {
  expect(builtIn(root, name)).toBeUndefined();
});

test("a project's own of that name is used instead", () => {
  mkdirSync(join(root, ".ai/directives"), { recursive: true });
  writeFileSync(join(root, ".ai/directives/thread_summary.md"), "---\ndescription: mine\n---\nx");
  expect(builtIn(root, "thread_summary")).toBeUndefined();
});
