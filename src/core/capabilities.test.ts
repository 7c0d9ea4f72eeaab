import { expect, test } from "vitest";
import { capabilitiesOf } from "./capabilities.ts";
import { explainRight } from "./explain-right.ts";
import { type Declared, mint } from "./grant.ts";
import { delegate, leaveFor, type Rights, rightsOf, withoutRights } from "./rights.ts";

const tool = (name: string) => `selvage.execute.tool.${name}`;
const declared = (some: Partial<Declared>): Declared => ({
  permissions: [],
  ask: [],
  delegates: [],
  ...some,
});
const root = (some: Partial<Declared>) => rightsOf(mint(declared(some)));
const child = (rights: Rights, some: Partial<Declared>, id = "boss-1", directive = "boss") =>
  rightsOf(delegate({ id, directive, rights }, declared(some)));
const take = (rights: Rights, right: string, from = "it-1") =>
  withoutRights(rights, [{ right, by: "ada", from }]);

test("what is held, asked for, only handed on, dropped and taken stands in lists of its own", () => {
  const boss = root({ permissions: [tool("read"), tool("edit"), tool("bash")], ask: [tool("send")] });
  const worker = child(boss, {
    permissions: [tool("read"), tool("send"), tool("edit"), tool("find")],
    ask: [tool("bash")],
    delegates: [tool("ls"), tool("bash")],
  });
  expect(capabilitiesOf(take(worker, tool("edit")))).toEqual({
    held: [tool("read")],
    asks: [tool("bash"), tool("send")],
    hands_on: [],
    dropped: [
      { right: tool("find"), by: ["boss-1"] },
      { right: tool("ls"), by: ["boss-1"] },
    ],
    revoked: [{ right: tool("edit"), by: "ada", from: "it-1" }],
  });
  const one = root({ permissions: [tool("*")], ask: [tool("bash")], delegates: ["selvage.execute.*"] });
  expect(capabilitiesOf(one)).toMatchObject({
    held: [tool("*")],
    asks: [tool("bash")],
    hands_on: ["selvage.execute.*"],
  });
  const all = capabilitiesOf(take(one, "selvage.*"));
  expect([all.held, all.asks, all.hands_on]).toEqual([[], [], []]);
});

test("an explanation agrees with what is done, for every right that names one thing", () => {
  const boss = root({ permissions: [tool("read"), tool("b*")], ask: [tool("ba*")], delegates: [tool("ls")] });
  const worker = child(boss, { permissions: [tool("*")], ask: [tool("ls")] });
  for (const rights of [boss, worker, take(boss, tool("read")), take(worker, tool("ba*"), "boss-1")])
    for (const name of ["read", "bash", "ls", "build", "nothing"]) {
      const { verdict } = explainRight({ directive: "it", rights }, tool(name));
      const expected = { free: "allowed", ask: "asks", denied: "denied" }[leaveFor(rights, tool(name))];
      expect([name, verdict]).toEqual([name, expected]);
    }
});

test("everybody who would have to write something is named, from the root down", () => {
  const top = root({ permissions: [tool("read")] });
  const middle = child(top, { permissions: [tool("bash")] }, "top-1", "top");
  const rights = child(middle, { permissions: [tool("read")], delegates: [tool("bash")] }, "mid-1", "mid");
  expect(explainRight({ directive: "it", rights }, tool("bash"))).toMatchObject({
    verdict: "denied",
    missing: [
      { thread_id: "top-1", directive: "top", list: "delegates" },
      { thread_id: null, directive: "it", list: "permissions" },
    ],
  });
  const lonely = explainRight({ directive: "it", rights: take(root({}), "selvage.*") }, tool("bash"));
  expect([lonely.verdict, lonely.revoked.length, lonely.missing.length]).toEqual(["denied", 1, 1]);
});

test("a prefix is allowed only when all of it is; the part that is allowed is named", () => {
  const some = root({ permissions: [tool("read"), tool("b*"), "selvage.load.*"] });
  expect(explainRight({ directive: "it", rights: some }, tool("*"))).toMatchObject({
    verdict: "denied",
    within: [tool("b*"), tool("read")],
  });
  const all = root({ permissions: [tool("*")] });
  const about = (rights: Rights) => explainRight({ directive: "it", rights }, tool("*"));
  expect(about(all)).toMatchObject({ verdict: "allowed", within: [] });
  expect(about(take(all, tool("bash")))).toMatchObject({
    verdict: "denied",
    missing: [],
    within: [tool("*")],
  });
  expect(about(root({ permissions: [tool("*")], ask: [tool("bash")] }))).toMatchObject({
    verdict: "asks",
    asked_by: [{ thread_id: null, directive: "it", asks: [tool("bash")] }],
  });
});
