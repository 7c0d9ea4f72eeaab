import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Bell } from "../core/world.ts";
import { listen, ring } from "./bell.ts";

test("a ring is heard", async () => {
  const bell = await hung();
  const heard = nextRing(bell);
  ring(bell.socket!);
  await heard;
});

test("every listener hears, again and again", async () => {
  const bell = await hung();
  for (let round = 0; round < 3; round += 1) {
    const heard = Promise.all([nextRing(bell), nextRing(bell)]);
    ring(bell.socket!);
    await heard;
  }
});

test("a byte on an open connection rings too", async () => {
  const bell = await hung();
  const heard = nextRing(bell);
  const socket = connect(bell.socket!);
  await heard;
  const heardAgain = nextRing(bell);
  socket.write("!");
  await heardAgain;
  socket.destroy();
});

test("the socket is for its user alone, with a short path", async () => {
  const bell = await hung();
  expect(statSync(bell.socket!).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(bell.socket!)).mode & 0o777).toBe(0o700);
  expect(Buffer.byteLength(bell.socket!)).toBeLessThan(100);
});

test("close removes every trace, also with a caller still connected", async () => {
  const bell = await listen();
  const heard = nextRing(bell);
  const socket = connect(bell.socket!);
  socket.on("error", () => {});
  await heard;
  await bell.close();
  expect(existsSync(dirname(bell.socket!))).toBe(false);
});

test.each(["/nonexistent/bell", "", "8080", `/tmp/${"x".repeat(300)}`, "/tmp/a\0b", "/dev/null"])(
  "ringing where nobody listens does nothing: %s",
  (path) => {
    ring(path);
  },
);

test("a folder that cannot hold a socket is passed over", async () => {
  const long = join(temporaryFolder(), "x".repeat(90));
  mkdirSync(long);
  const bell = await listen(["/nonexistent", long, tmpdir()]);
  onTestFinished(() => bell.close());
  expect(dirname(dirname(bell.socket!))).toBe(tmpdir());
  expect(readdirSync(long)).toEqual([]);
});

test("without any such folder there is no socket and no failure", async () => {
  const bell = await listen(["/nonexistent"]);
  expect(bell.socket).toBeNull();
  bell.onRing(() => {});
  await bell.close();
});

test.each([
  ["ends by itself", ""],
  ["calls exit right away", "process.exit(0);"],
])("the ring of a process that %s is heard", async (_, after) => {
  const bell = await hung();
  const heard = nextRing(bell);
  const child = script(`import { ring } from "./bell.ts"; ring(process.argv[1]); ${after}`, bell.socket!);
  await Promise.all([heard, once(child, "exit")]);
  expect(child.exitCode).toBe(0);
});

test("neither a bell nor a ring keeps a process alive", async () => {
  const child = script(
    `import { listen, ring } from "./bell.ts"; const bell = await listen(); bell.onRing(() => {}); ring(bell.socket);
     process.on("exit", () => console.log(bell.socket));`,
  );
  const [line] = await once(child.stdout!, "data");
  if (child.exitCode === null) await once(child, "exit");
  expect(child.exitCode).toBe(0);
  rmSync(dirname(String(line).trim()), { recursive: true }); // it ended without close()
});

function script(text: string, ...args: string[]) {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", text, "--", ...args],
    {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function hung(): Promise<Bell> {
  const bell = await listen();
  onTestFinished(() => bell.close());
  return bell;
}

function nextRing(bell: Bell): Promise<void> {
  return new Promise((resolve) => bell.onRing(resolve));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "selvage-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
