import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRight, rightOfAction } from "./right.ts";

test.each([
  ["execute.tool.*", "selvage.execute.tool.*"],
  ["selvage.execute.tool.read", "selvage.execute.tool.read"],
  ["rye.execute.tool.managed_subprocess", "selvage.execute.tool.managed_subprocess"],
  ["execute.directive.plan_*", "selvage.execute.directive.plan_*"],
  ["execute.directive.agency-kiwi/discover_leads", "selvage.execute.directive.agency-kiwi.discover_leads"],
  ["search.*", "selvage.search.*"],
  ["exec*", "selvage.exec*"],
  ["execute.to*", "selvage.execute.to*"],
  ["*", "selvage.*"],
  ["rye.*", "selvage.*"],
])("%s is %s", (text, right) => {
  expect(parseRight(text)).toEqual({ right });
});

test.each([
  ["", "a part between two dots is empty"],
  ["execute", "it ends too early; execute.* covers all of them"],
  ["execute.tool", "it ends too early; execute.tool.* covers all of them"],
  ["execut.tool.read", '"execut" is no verb; did you mean "execute"?'],
  ["execute.tol.read", '"tol" is no kind; did you mean "tool"?'],
  ["execute.tol*", '"tol" is no kind; did you mean "tool"?'],
  ["fly.tool.read", '"fly" is no verb; there are execute, search, load, sign'],
  ["execute.*.read", "a * may stand only at the end"],
  ["execute.tool.**", "a * may stand only at the end"],
  ["execute..read", "a part between two dots is empty"],
  ["execute.tool.", "a part between two dots is empty"],
  ["execute.tool.a b", "a right has letters, digits, _ and -, with dots between its parts"],
])("%j is refused: %s", (text, why) => {
  expect(parseRight(text)).toEqual({ why });
});

test("reading a right again changes nothing", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(execute|load)\.tool\.[a-z./*]*$/)), (text) => {
      const parsed = parseRight(text);
      if ("right" in parsed) expect(parseRight(parsed.right)).toEqual(parsed);
    }),
  );
});

test("an action is a kind and a subject, unless it brings its own verb", () => {
  expect(rightOfAction("execute", "tool.wait_threads")).toBe("execute.tool.wait_threads");
  expect(rightOfAction("execute", "search.*")).toBe("search.*");
});
