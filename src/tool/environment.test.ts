import { expect, test } from "vitest";
import { childEnvironment } from "./environment.ts";

test("only what is on the list gets through, and the call's key", () => {
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
    },
  };
  expect(childEnvironment("call_1", ours)).toEqual({
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
  });
});

test("without a PATH the usual one is given", () => {
  expect(childEnvironment("call_1", {}).PATH).toContain("/usr/bin");
});
