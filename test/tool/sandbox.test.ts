// What an agent could try in order to approve itself, or to get at what is not its own (L5, K6). Each attack is made for
// real, with a sandbox and without: with one it must fail, and where it succeeds without one the table says so.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { isOperator } from "../../src/config/operator.ts";
import { openSandbox } from "../../src/tool/sandbox.ts";
import { until } from "./project.ts";
import { processesWith, type Scene, scene, THREAD } from "./sandbox.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Attack {
  /** Without a sandbox: `succeeds` where only a guard rail, or nothing, stood in the way. */
  readonly without: "succeeds" | "fails";
  /** Whether it succeeded. */
  readonly run: (at: Scene) => Promise<boolean>;
}

const threadFile = (name: string) => `.ai/threads/${THREAD}/${name}`;
const APPROVAL = threadFile("approvals/ap_1.response.json");

/** Succeeds if the file is there afterwards, for us to read, with what was written. */
const writes =
  (file: string, command = `echo forged >> ${file}`): Attack["run"] =>
  async ({ root, bash }) => {
    await bash(command);
    const path = join(root, file);
    return existsSync(path) && readFileSync(path, "utf8").includes("forged");
  };

const reads =
  (command: (at: Scene) => string): Attack["run"] =>
  async (at) =>
    (await at.bash(command(at))).includes(at.token);

const ATTACKS: Record<string, Attack> = {
  "reading the operator token by its path": {
    without: "succeeds",
    run: reads(({ tokenPath }) => `cat ${tokenPath}`),
  },
  "reading it through /proc/PID/root of Selvage": {
    without: "succeeds",
    run: reads(({ tokenPath }) => `cat /proc/${process.pid}/root${tokenPath}`),
  },
  "reading it through /proc of anybody": {
    without: "succeeds",
    run: reads(
      ({ tokenPath }) => `cat /proc/[0-9]*/root${tokenPath} /proc/[0-9]*/cwd/../state/selvage/operator`,
    ),
  },
  "reading it through a link": {
    without: "succeeds",
    run: reads(({ tokenPath }) => `ln -s ${tokenPath} link; cat link`),
  },
  "reading it through a hard link": {
    without: "succeeds",
    run: reads(({ tokenPath }) => `ln ${tokenPath} link; cat link`),
  },
  "planting a link for the file tools": {
    without: "fails",
    run: async ({ bash, run, token, tokenPath }) => {
      await bash(`ln -s ${tokenPath} file; ln -s $(dirname ${tokenPath}) folder`);
      const read = await Promise.all(["file", "folder/operator"].map((path) => run("read", { path })));
      return read.some(({ output }) => output.includes(token));
    },
  },
  "taking the cover off": {
    without: "succeeds",
    run: reads(
      ({ tokenPath: path }) =>
        `umount -l $(dirname ${path}); unshare -Urm sh -c 'umount -l $(dirname ${path}); cat ${path}'; cat ${path}`,
    ),
  },
  "putting a token of one's own in its place": {
    without: "succeeds",
    run: async ({ bash, tokenPath }) => {
      const own = "0".repeat(64);
      await bash(
        `echo ${own} > ${tokenPath}; cd $(dirname ${tokenPath})/.. && mv selvage old; mkdir -m 700 selvage; (umask 077; echo ${own} > selvage/operator)`,
      );
      return isOperator(own);
    },
  },
  "reading the environment of Selvage, where the keys are": {
    without: "succeeds",
    run: async ({ bash }) => (await bash(`tr '\\0' '\\n' < /proc/${process.pid}/environ`)).includes("VITEST"),
  },
  "writing an answer to its own question": { without: "succeeds", run: writes(APPROVAL) },
  "writing cancel.requested": { without: "succeeds", run: writes(threadFile("cancel.requested")) },
  "forging an export": { without: "succeeds", run: writes(threadFile("transcript.jsonl")) },
  "opening registry.db for writing": { without: "succeeds", run: writes(".ai/threads/registry.db") },
  "putting another .ai in its place": {
    without: "succeeds",
    run: writes(
      threadFile("cancel.requested"),
      `mv .ai old; mkdir -p .ai/threads/${THREAD}; echo forged > ${threadFile("cancel.requested")}`,
    ),
  },
  "putting another .ai/threads in its place": {
    without: "succeeds",
    run: writes(
      ".ai/threads/registry.db",
      `cp -r .ai/threads copy; echo forged > copy/registry.db; rm -rf .ai/threads; mv .ai/threads old; mv copy .ai/threads`,
    ),
  },
  "putting another project in its place": {
    without: "succeeds",
    run: writes(
      ".ai/threads/registry.db",
      `cd ..; mv project old; mkdir -p project/.ai/threads; echo forged > project/.ai/threads/registry.db`,
    ),
  },
  "writing beside the project": { without: "succeeds", run: writes("../beside") },
  "sending Selvage a signal": {
    without: "succeeds",
    run: async ({ bash }) => (await bash(`kill -0 ${process.pid} && echo reached`)).startsWith("reached"),
  },
  "killing a process beside it": {
    without: "succeeds",
    run: async ({ bash }) => {
      const sibling = startSibling();
      await bash(`kill -KILL ${sibling.pid}`);
      const wasKilled = await bash("true").then(() => sibling.signalCode !== null);
      return wasKilled;
    },
  },
  "connecting to 127.0.0.1": {
    without: "succeeds",
    run: async ({ bash }) => {
      const { server, isVisited } = await listening(0);
      const { port } = server.address() as { port: number };
      await bash(`exec 3<>/dev/tcp/127.0.0.1/${port}`);
      return isVisited();
    },
  },
  "connecting to somebody's socket in /tmp": {
    without: "succeeds",
    run: async ({ bash }) => {
      const path = join(tmpdir(), `selvage-socket-${process.pid}`);
      const { isVisited } = await listening(path);
      await bash(connect(path));
      return isVisited();
    },
  },
  "connecting to a socket without a path": {
    without: "succeeds",
    run: async ({ bash }) => {
      const name = `selvage-socket-${process.pid}`;
      const { isVisited } = await listening(`\0${name}`);
      await bash(connect(`\\0${name}`));
      return isVisited();
    },
  },
  "escaping by setsid": { without: "fails", run: outlives((sleeper) => `setsid ${sleeper} &`) },
  "escaping by nohup": { without: "fails", run: outlives((sleeper) => `nohup ${sleeper} &`) },
  "escaping by setsid and env -i": {
    without: "succeeds",
    run: outlives((sleeper) => `setsid env -i nohup ${sleeper} &`),
  },
  "escaping as a daemon": {
    without: "succeeds",
    run: outlives((sleeper) => `(trap '' TERM HUP; setsid env -i setsid env -i ${sleeper} & ) &`),
  },
};

describe.each(Object.entries(ATTACKS))("%s", (_, { without, run }) => {
  test("fails in the sandbox", async () => {
    const at = await scene({ mode: "required" });
    expect(await at.bash("echo works")).toBe("works\n"); // or every attack would fail, for nothing was started
    expect(await run(at)).toBe(false);
  });

  test(`${without} without one`, async () => {
    const at = await scene({ mode: "off" });
    expect(await run(at)).toBe(without === "succeeds");
  });
});

describe("a home folder as the project", () => {
  const home = {
    mode: "required",
    stateHome: "project/.local/state",
    configHome: "project/.config",
  } as const;
  const tries = Object.entries(ATTACKS).filter(([name]) => /token|cover/.test(name));

  test.each(tries)("%s fails in the sandbox", async (_, { run }) => {
    const at = await scene(home);
    expect(await at.bash("echo works")).toBe("works\n");
    expect(await run(at)).toBe(false);
  });

  test("no folder on the way to what is hidden can be replaced", async () => {
    const { bash, token } = await scene(home);
    const own = "0".repeat(64);
    await bash(
      `for path in .local .local/state .local/state/selvage; do mv $path old; rm -rf $path; done
       mkdir -p .local/state/selvage; (umask 077; echo ${own} > .local/state/selvage/operator)`,
    );
    expect([isOperator(own), isOperator(token)]).toEqual([false, true]);
  });

  test("a configuration that was not there cannot be made", async () => {
    const { bash, root } = await scene(home);
    await bash(
      "mv .config old; mkdir -p .config/selvage; echo 'sandbox: off' > .config/selvage/resilience.yaml",
    );
    expect(existsSync(join(root, ".config/selvage/resilience.yaml"))).toBe(false);
    expect(await bash("echo fine > .config/other; cat .config/other")).toBe("fine\n");
  });
});

test.each(["auto", "required"] as const)(
  "a link in the project cannot be held in place: where one leads to what is guarded, there are no walls (%s)",
  async (mode) => {
    const { root } = await scene({ mode: "off" });
    mkdirSync(join(root, "real"));
    symlinkSync("real", join(root, "alias"));
    const hidden = [join(root, "alias", "selvage")];
    const why = "alias is not a folder of the project's own, but a link or a file";
    const type = mode === "auto" ? "none" : "refused";
    expect(openSandbox({ mode, projectRoot: root, hidden }).state()).toEqual({ type, why });
  },
);

/** Succeeds if it still runs when the call is over. It is ended in any case. */
function outlives(start: (sleeper: string) => string): Attack["run"] {
  return async ({ bash }) => {
    const seconds = String(1_000_000 + Math.trunc(performance.now() * 1_000));
    const others = () => processesWith(seconds);
    onTestFinished(() => {
      for (const pid of others()) process.kill(pid, "SIGKILL");
    });
    const sleeper = `/bin/sh -c 'PATH=/usr/bin:/bin; touch up; exec sleep ${seconds}'`;
    await bash(`${start(sleeper)} until [ -e up ]; do :; done`);
    const patience = performance.now() + 1_000; // who was killed may take a moment to be gone
    await until(() => others().length === 0 || performance.now() > patience);
    return others().length > 0;
  };
}

function startSibling(): ChildProcess {
  const sibling = spawn("sleep", ["1000"], { stdio: "ignore" });
  onTestFinished(() => void sibling.kill("SIGKILL"));
  return sibling;
}

function connect(path: string): string {
  const code = `require("net").connect("${path}").on("connect", () => process.exit()).on("error", () => process.exit(1))`;
  return `${process.execPath} -e '${code}'`;
}

async function listening(where: number | string): Promise<{ server: Server; isVisited: () => boolean }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => {
    if (typeof where === "number") server.listen(where, "127.0.0.1", resolve);
    else server.listen(where, resolve);
  });
  return { server, isVisited: () => visits > 0 };
}
