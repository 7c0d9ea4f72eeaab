// The sandbox through the built command line: what is said, what is refused, and an agent that tries to approve itself.
import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { directive, Place, scripted, until } from "../cli/cli.ts";
import { processesWith } from "./sandbox.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

afterEach(() => {
  vi.unstubAllEnvs();
});

const mode = (sandbox: string) => ({ ".ai/config/resilience.yaml": `sandbox: ${sandbox}\n` });

const bash = (command: string) =>
  `- says: go\n  calls: [{ tool: bash, input: { command: ${JSON.stringify(command)} } }]\n- says: done\n`;

/** Not under /tmp, which the sandbox empties in any case. `off` is for the user to say, not for a project. */
async function place(sandbox: "required" | "auto" | "off", files: Record<string, string>): Promise<Place> {
  vi.stubEnv("TMPDIR", "/var/tmp");
  const made = new Place(files);
  onTestFinished(() => made.remove());
  await made.ok("init");
  await made.ok("trust", "--yes");
  await made.ok("config", "set", "--user", "sandbox", sandbox);
  return made;
}

test("a run says what is in force; a project may ask for more and never for less", async () => {
  const at = await place("auto", scripted("work", bash("true")));
  expect((await at.run(["run", "work"])).stderr).toContain(
    "Sandbox: bubblewrap; commands write in the project only, and reach the network only with a right to it.",
  );
  const { warnings } = await at.json("run", "work");
  expect(warnings).toEqual([]);
  await at.ok("config", "set", "--user", "sandbox", "required");
  at.write(mode("auto"));
  expect(await at.json("run", "work")).toMatchObject({ exit: 7, error: { code: "E_CONFIG_INVALID" } });
  await at.ok("config", "set", "--user", "sandbox", "off");
  at.write(mode("off"));
  expect((await at.run(["run", "work"])).stderr).toContain("No sandbox: commands run with all your rights.");
  at.write(mode("required"));
  expect((await at.run(["run", "work"])).stderr).toContain("Sandbox: bubblewrap");
});

test("where there can be none, required refuses before there is a thread, and auto warns", async () => {
  const at = await place("required", scripted("work", bash("touch ran")));
  renameSync(join(at.root, ".ai"), join(at.root, "elsewhere"));
  symlinkSync("elsewhere", join(at.root, ".ai"));
  await at.ok("trust", "--yes");
  const refused = await at.json("run", "work");
  expect(refused).toMatchObject({ exit: 9, error: { code: "E_SANDBOX" } });
  expect(refused.error?.why).toBe(".ai is not a folder of the project's own, but a link or a file.");
  expect((await at.json("ps", "-a")).data.threads).toEqual([]);
  expect(existsSync(join(at.root, "ran"))).toBe(false);
  await at.ok("config", "set", "--user", "sandbox", "auto");
  const { exit, warnings } = await at.json("run", "work");
  expect([exit, warnings]).toEqual([0, [expect.stringMatching(/^No sandbox \(\.ai is not a folder/)]]);
});

test("commands reach the network with a right to it, and no longer once it was taken away", async () => {
  const server = createServer((socket) => socket.end("hello\n")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await until(() => server.listening);
  const { port } = server.address() as { port: number };
  const knock = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3 > said' || echo walled > said`;
  const rights = (more: string) => `permissions: [{ ask: execute.tool.bash }${more}]\n`;
  const at = await place("required", {
    ...directive("shut", rights("")),
    ...directive("open", rights(", execute.process.network")),
    ".ai/scripts/shut.yaml": bash(knock),
    ".ai/scripts/open.yaml": bash(knock),
  });
  const said = async (name: string, between?: (id: string) => Promise<unknown>) => {
    const { data } = await at.json("run", name);
    await between?.(data.thread_id);
    const answered = await at.json("approve", data.approval);
    expect(answered.exit).toBe(0);
    return readFileSync(join(at.root, "said"), "utf8");
  };
  expect(await said("shut")).toBe("walled\n");
  expect(await at.ok("show", "@last", "--caps")).toContain("commands do not reach it: no right");
  expect(await said("open")).toBe("hello\n");
  expect(await at.ok("show", "@last", "--caps")).toContain("commands reach it (execute.process.network)");
  expect(await said("open", (id) => at.ok("revoke", id, "execute.process.*"))).toBe("walled\n");
  expect((await at.json("show", "@last", "--caps")).data.network).toMatchObject({ right: false });
});

/** An agent asks for more turns; then another one, of the same user, answers for the person. */
test.each([
  ["required", "fails"],
  ["off", "succeeds"],
] as const)("approving from bash, with the mark of the thread taken off: %s, it %s", async (sandbox, end) => {
  const again = "- says: a\n  calls: [{ tool: ls, input: {} }]\n- says: b\n";
  const at = await place(sandbox, {
    ...directive("asks", "limits: { turns: 1 }\n"),
    ".ai/scripts/asks.yaml": again,
  });
  const { data } = await at.json("run", "asks");
  const approve = `${process.execPath} ${CLI} approve ${data.approval}`;
  const state = `XDG_STATE_HOME=${at.env["XDG_STATE_HOME"]}`;
  at.write({
    ...scripted("plain", bash(`${approve} > said 2>&1`)),
    ...scripted("bold", bash(`env -u SELVAGE_THREAD ${state} ${approve} > said 2>&1`)),
    ...scripted(
      "forger",
      bash(
        `mkdir -p home; echo y | env -u SELVAGE_THREAD XDG_STATE_HOME=$PWD/home sh -c '${process.execPath} ${CLI} trust --yes; ${approve}' > said 2>&1`,
      ),
    ),
  });
  const open = async () => (await at.json("approvals")).data.approvals.length;
  await at.json("run", "plain");
  expect(await open()).toBe(1);
  for (const name of ["forger", "bold"]) {
    await at.json("run", name);
    if (end === "fails") expect(await open()).toBe(1);
  }
  expect(await open()).toBe(end === "fails" ? 1 : 0);
});

test.each([
  ["required", "ends"],
  ["off", "lives on"],
] as const)("killed with an escaped command in flight: %s, it %s", async (sandbox, end) => {
  const seconds = String(2_000_000 + Math.trunc(performance.now() * 1_000));
  const escaped = `setsid env -i /bin/sh -c 'PATH=/usr/bin:/bin; touch up; exec sleep ${seconds}' & sleep 1000`;
  const at = await place(sandbox, scripted("work", bash(escaped)));
  const others = () => processesWith(seconds);
  onTestFinished(() => {
    for (const pid of others()) process.kill(pid, "SIGKILL");
  });
  const { child, ended } = at.start(["run", "work"]);
  await until(() => readdirSync(at.root).includes("up") && others().length > 0);
  child.kill("SIGKILL");
  await ended;
  const patience = Date.now() + 2_000;
  await until(() => others().length === 0 || Date.now() > patience);
  expect(others().length > 0).toBe(end === "lives on");
});
