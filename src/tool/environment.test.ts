import { expect, test } from "vitest";
import { childEnvironment } from "./environment.ts";

test("only what is on the list gets through, and whom it is for", () => {
  const ours = {
    ...{
      PATH: "/bin",
      HOME: "/home/me",
      LANG: "C",
      LC_ALL: "C",
      TERM: "xterm",
      TMPDIR: "/t",
      USER: "me",
      SHELL: "/bin/sh",
    },
    ...{
      ANTHROPIC_API_KEY: "secret",
      LD_PRELOAD: "x",
      NODE_OPTIONS: "x",
      BASH_ENV: "x",
      SSH_AUTH_SOCK: "x",
      EMPTY: undefined,
      XDG_STATE_HOME: "/home/me/state",
      SELVAGE_THREAD: "an-outer-thread",
    },
  };
  expect(childEnvironment({ callKey: "call_1", threadId: "work-1-aaaaaa" }, ours)).toEqual({
    ...{
      PATH: "/bin",
      HOME: "/home/me",
      LANG: "C",
      LC_ALL: "C",
      TERM: "xterm",
      TMPDIR: "/t",
      USER: "me",
      SHELL: "/bin/sh",
    },
    SELVAGE_CALL_KEY: "call_1",
    SELVAGE_THREAD: "work-1-aaaaaa",
  });
});

test("what works for no thread in particular is still told to be inside", () => {
  expect(childEnvironment("hook/a", {}).SELVAGE_THREAD).toBe("hook/a");
});

test("a tool that asks for it does not get another thread's name", () => {
  const errand = { callKey: "call_1", threadId: "work-1-aaaaaa" };
  const ours = { SELVAGE_THREAD: "an-outer-thread" };
  expect(childEnvironment(errand, ours, ["SELVAGE_THREAD"]).SELVAGE_THREAD).toBe("work-1-aaaaaa");
});

test("without a PATH the usual one is given", () => {
  expect(childEnvironment("call_1", {}).PATH).toContain("/usr/bin");
});
