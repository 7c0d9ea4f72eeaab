import { describe, expect, test } from "vitest";
import { askedRight, denialOfCall, isVerbOffered, leaveForCall, mayFind } from "./call-rights.ts";
import { mint } from "./grant.ts";
import { delegate, rightsOf, withoutRights } from "./rights.ts";

const full = (right: string) => `selvage.${right}`;
const rights = (permissions: string[], ask: string[] = []) =>
  rightsOf(mint({ permissions: permissions.map(full), ask: ask.map(full), delegates: [] }));
const load = (item_type: string, item_id: string) => ({ tool: "load", input: { item_type, item_id } });
const search = (item_type?: string) => ({
  tool: "search",
  input: { query: "x", ...(item_type ? { item_type } : {}) },
});
const bash = { tool: "bash", input: { command: "ls" }, executes: "tool" as const };

describe("said with execute, a call needs the right of the verb and its own", () => {
  test.each<[string[], string[], string]>([
    [["execute.tool.execute", "execute.tool.bash"], [], "free"],
    [["execute.tool.*"], [], "free"],
    [["execute.tool.execute"], [], "denied"],
    [["execute.tool.bash"], [], "denied"],
    [["execute.tool.execute"], ["execute.tool.bash"], "ask"],
    [["execute.tool.bash"], ["execute.tool.execute"], "ask"],
    [["execute.*"], ["execute.tool.bash"], "ask"],
  ])("%j and ask %j: %s", (permissions, ask, leave) => {
    expect(leaveForCall(rights(permissions, ask), bash)).toBe(leave);
  });

  test("either taken away is enough to stop it, and what is missing is named", () => {
    for (const right of ["execute.tool.execute", "execute.tool.bash"]) {
      const left = withoutRights(rights(["execute.*"]), [{ right: full(right), by: "maya", from: "t" }]);
      expect(leaveForCall(left, bash)).toBe("denied");
      expect(denialOfCall({ directive: "d", rights: left }, bash)).toMatchObject({
        right: full(right),
        why: "revoked",
      });
    }
    expect(askedRight(rights(["execute.tool.execute"], ["execute.tool.bash"]), bash)).toBe(
      full("execute.tool.bash"),
    );
  });

  test("to hand back what was asked for needs no leave but the verb's", () => {
    const back = { tool: "directive_return", input: {} };
    expect(leaveForCall(rights([]), back)).toBe("free");
    expect(leaveForCall(rights([]), { ...back, executes: "tool" })).toBe("denied");
    expect(leaveForCall(rights(["execute.tool.execute"]), { ...back, executes: "tool" })).toBe("free");
  });
});

describe("load needs the item's own right", () => {
  test.each<[string[], string]>([
    [["load.knowledge.api.auth"], "free"],
    [["load.knowledge.api.*"], "free"],
    [["load.*"], "free"],
    [["load.knowledge.ap"], "denied"],
    [["load.skill.*", "search.*", "execute.*"], "denied"],
    [[], "denied"],
  ])("%j: %s", (permissions, leave) => {
    expect(leaveForCall(rights(permissions), load("knowledge", "api/auth"))).toBe(leave);
  });

  test("a right to its tool is none to an item", () => {
    expect(leaveForCall(rights(["execute.tool.load"]), load("tool", "bash"))).toBe("denied");
  });
});

describe("search needs something that may be searched", () => {
  test.each<[string[], string | undefined, string]>([
    [["search.knowledge.*"], undefined, "free"],
    [["search.knowledge.api.*"], "knowledge", "free"],
    [["search.knowledge.*"], "skill", "denied"],
    [["load.*"], undefined, "denied"],
    [["*"], "skill", "free"],
  ])("%j of %s: %s", (permissions, type, leave) => {
    expect(leaveForCall(rights(permissions), search(type))).toBe(leave);
  });

  test("nothing is left of what was taken away", () => {
    const taken = [{ right: full("search.knowledge.*"), by: "maya", from: "t" }];
    const left = withoutRights(rights(["search.*"]), taken);
    expect(leaveForCall(left, search("knowledge"))).toBe("denied");
    expect(leaveForCall(left, search())).toBe("free");
    expect(mayFind(withoutRights(rights(["search.*", "load.*"]), taken), "knowledge", "api")).toBe(false);
  });

  test.each<[string[], boolean]>([
    [["search.knowledge.*", "load.knowledge.*"], true],
    [["search.knowledge.*"], false],
    [["load.knowledge.*"], false],
    [["search.*", "load.knowledge.other"], false],
  ])("%j: an item is found: %s", (permissions, found) => {
    expect(mayFind(rights(permissions), "knowledge", "api")).toBe(found);
  });
});

describe("a verb is offered to who names it", () => {
  test.each<[string, string[], boolean]>([
    ["execute", ["execute.tool.execute"], true],
    ["execute", ["execute.tool.*", "execute.tool.execute"], true],
    ["execute", ["execute.tool.*"], false],
    ["execute", ["*"], false],
    ["load", ["load.skill.deploy"], true],
    ["load", ["load.*"], true],
    ["load", ["*"], false],
    ["load", ["execute.tool.load"], false],
    ["search", ["search.tool.*"], true],
    ["search", ["load.*"], false],
  ])("%s with %j: %s", (verb, permissions, offered) => {
    expect(isVerbOffered(rights(permissions), verb)).toBe(offered);
  });

  test("not if nothing of it is handed on", () => {
    const parent = { id: "p", directive: "p", rights: rights(["load.knowledge.*"]) };
    const child = (right: string) =>
      rightsOf(delegate(parent, { permissions: [full(right)], ask: [], delegates: [] }));
    expect(isVerbOffered(child("load.knowledge.api"), "load")).toBe(true);
    expect(isVerbOffered(child("load.skill.*"), "load")).toBe(false);
    expect(isVerbOffered(child("execute.tool.execute"), "execute")).toBe(false);
  });
});
