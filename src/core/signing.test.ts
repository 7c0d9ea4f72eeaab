import { describe, expect, test } from "vitest";
import { leaveForCall, rightsNeeded } from "./call-rights.ts";
import { mint } from "./grant.ts";
import { rightsOf, withoutRights } from "./rights.ts";
import { isOffered, signInput } from "./signing.ts";

const SHA = "a".repeat(64);
const call = (item_type: string, item_id: string, sha256 = SHA) => ({
  tool: "sign",
  input: { item_type, item_id, sha256 },
});
const rights = (permissions: string[], ask: string[] = []) =>
  rightsOf(mint({ permissions, ask, delegates: [] }));
const TOOLS = "selvage.execute.tool.*";

describe("leave to sign", () => {
  test.each<[string[], string]>([
    [[TOOLS], "denied"],
    [["selvage.sign.directive.plan"], "denied"],
    [[TOOLS, "selvage.sign.directive.plan"], "ask"],
    [[TOOLS, "selvage.sign.directive.*"], "ask"],
    [["selvage.*"], "ask"],
    [[TOOLS, "selvage.sign.tool.plan"], "denied"],
    [[TOOLS, "selvage.sign.directive.pla"], "denied"],
  ])("%j: %s, and never without a person", (permissions, leave) => {
    expect(leaveForCall(rights(permissions), call("directive", "plan"))).toBe(leave);
  });

  test("what is taken away is gone", () => {
    const taken = withoutRights(rights(["selvage.*"]), [
      { right: "selvage.sign.*", thread_id: "t", by: "maya" } as never,
    ]);
    expect(leaveForCall(taken, call("directive", "plan"))).toBe("denied");
  });

  test("each item needs its own right; a call that does not fit needs nothing more, and does nothing", () => {
    expect(rightsNeeded(call("tool", "a/b"))).toEqual(["selvage.execute.tool.sign", "selvage.sign.tool.a.b"]);
    expect(rightsNeeded({ tool: "sign", input: { item_id: "x" } })).toEqual(["selvage.execute.tool.sign"]);
    expect(rightsNeeded({ tool: "read", input: {} })).toEqual(["selvage.execute.tool.read"]);
  });
});

test("other tools are as free as their rights say", () => {
  expect(leaveForCall(rights([TOOLS]), { tool: "read" })).toBe("free");
  expect(leaveForCall(rights([], ["selvage.execute.tool.bash"]), { tool: "bash" })).toBe("ask");
  expect(leaveForCall(rights([]), { tool: "bash" })).toBe("denied");
});

test.each<[string[], boolean]>([
  [[TOOLS], false],
  [["selvage.sign.tool.x"], false],
  [[TOOLS, "selvage.search.*"], false],
  [[TOOLS, "selvage.sign.tool.x"], true],
  [[TOOLS, "selvage.si*"], true],
  [["selvage.*"], true],
])("who has %j is offered it: %s", (permissions, offered) => {
  expect(isOffered(rights(permissions), "sign")).toBe(offered);
});

test.each([
  [{ item_type: "directive", item_id: "a/b", sha256: SHA }, undefined],
  [{ item_type: "skill", item_id: "deploy", sha256: SHA }, undefined],
  [{ item_type: "process", item_id: "a", sha256: SHA }, /item_type/],
  [{ item_type: "tool", item_id: "../a", sha256: SHA }, /item_id: no name/],
  [{ item_type: "tool", item_id: "a" }, /sha256/],
  [{ item_type: "tool", item_id: "a", sha256: "abc" }, /sha256: expected a SHA-256/],
])("its input %j", (input, complaint) => {
  const checked = signInput.check(input);
  if (complaint) expect(checked.complaint).toMatch(complaint);
  else expect(checked.complaint).toBeUndefined();
});
