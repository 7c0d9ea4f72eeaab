import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { ownerState, ownerText } from "./identity.ts";
import { type ProcessTable, realProcessTable, type Sighting } from "./process-table.ts";

describe("with a made-up computer", () => {
  const table = (
    over: Partial<ProcessTable> = {},
    sighting: Sighting = { state: "S", start: "900" },
  ): ProcessTable => ({
    machine: "m1",
    boot: "b1",
    pidNamespace: "4026",
    look: (pid) => (pid === 77 ? sighting : "gone"),
    ...over,
  });
  const owner = ownerText(table(), 77);

  test("an owner is one compact line", () => {
    expect(owner).toBe("m1:b1:4026:77:900");
  });

  test.each<[string, Sighting, string]>([
    ["running", { state: "R", start: "900" }, "alive"],
    ["in an uninterruptible wait", { state: "D", start: "900" }, "alive"],
    ["stopped", { state: "T", start: "900" }, "alive"],
    ["traced", { state: "t", start: "900" }, "alive"],
    ["a zombie", { state: "Z", start: "900" }, "dead"],
    ["dead but not yet removed", { state: "X", start: "900" }, "dead"],
    ["a stranger that got the same pid", { state: "S", start: "901" }, "dead"],
    ["gone", "gone", "dead"],
    ["there, but we may not look", "hidden", "alive"],
  ])("an owner that is %s", (_, sighting, expected) => {
    expect(ownerState(owner, table({}, sighting))).toBe(expected);
  });

  test.each<[string, Partial<ProcessTable>, string]>([
    ["the computer has been restarted since", { boot: "b2" }, "dead"],
    ["restarted, in another namespace", { boot: "b2", pidNamespace: "5" }, "dead"],
    ["another computer", { machine: "m2" }, "elsewhere"],
    ["another computer with the same everything else, restarted", { machine: "m2", boot: "b2" }, "elsewhere"],
    ["another pid namespace", { pidNamespace: "5" }, "elsewhere"],
    ["a computer that cannot tell its boot", { boot: undefined }, "elsewhere"],
  ])("seen from %s", (_, over, expected) => {
    expect(ownerState(owner, table(over))).toBe(expected);
  });

  test.each([
    "",
    "nonsense",
    "m1:b1:4026:77",
    "m1:b1:4026:0:900",
    "m1:b1:4026:-1:900",
    "m1:b1:4026:77:900:x",
    "m1:b1:4026:7x:9",
  ])("malformed text proves no death: %s", (text) => {
    expect(ownerState(text, table())).toBe("elsewhere");
  });

  test("an owner written where the boot could not be known proves no death", () => {
    expect(ownerState(ownerText(table({ boot: undefined }), 77), table({}, "gone"))).toBe("elsewhere");
  });
});

describe("with real processes", () => {
  const table = realProcessTable();
  const started = (child: ChildProcess): ChildProcess => {
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };

  test("we live", () => {
    expect(ownerState(ownerText(table), table)).toBe("alive");
  });

  test("a stopped process lives, a killed one is dead at once", async () => {
    const child = started(spawn("sleep", ["1000"], { stdio: "ignore" }));
    await once(child, "spawn");
    const owner = ownerText(table, child.pid);
    expect(ownerState(owner, table)).toBe("alive");

    child.kill("SIGSTOP");
    await until(() => stateOf(child.pid!) === "T");
    expect(ownerState(owner, table)).toBe("alive");

    child.kill("SIGKILL");
    await once(child, "exit");
    expect(ownerState(owner, table)).toBe("dead");
  });

  test("a zombie is dead though its pid still answers", async () => {
    // The shell turns into a program that never asks for its child's end.
    const parent = started(
      spawn("sh", ["-c", "sleep 1000 & echo $!; exec sleep 1000"], { stdio: ["ignore", "pipe", "ignore"] }),
    );
    const [line] = await once(parent.stdout!, "data");
    const pid = Number(String(line));
    await until(() => comm(parent.pid!) === "sleep");
    const owner = ownerText(table, pid);
    expect(ownerState(owner, table)).toBe("alive");

    process.kill(pid, "SIGKILL");
    await until(() => stateOf(pid) === "Z");
    expect(process.kill(pid, 0)).toBe(true);
    expect(ownerState(owner, table)).toBe("dead");
  });

  function stateOf(pid: number): string {
    const sighting = table.look(pid);
    return typeof sighting === "string" ? sighting : sighting.state;
  }
});

function comm(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
}

/** The kernel tells nobody about these changes: look until it is so; the test's own time limit ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
