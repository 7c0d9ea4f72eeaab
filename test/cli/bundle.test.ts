// Bundles and signatures from the command line: what was done to them is named, and no key is ever shown.
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";

const MANIFEST = ".ai/bundles/kit/manifest.yaml";
let place: Place;
beforeEach(async () => {
  place = new Place({
    ...scripted("mine", "- says: hi\n"),
    ".ai/tools/deploy.yaml": "description: d\ncommand: ./deploy.sh\n",
    "deploy.sh": "#!/bin/sh\n",
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const at = (path: string) => join(place.root, path);
const read = (path: string) => readFileSync(at(path), "utf8");
/** As somebody else would, who does not say yes to it afterwards. */
const change = (path: string, text: string) => writeFileSync(at(path), text);
/** Another user on this machine, with a key and a list of their own. */
const other = () => ({ XDG_STATE_HOME: join(place.folder, "other") });
const ownKey = async () => (await place.json("signer", "ls")).data.own as string;

describe("a bundle", () => {
  test("is made, looked at, checked, and says that trust is another question", async () => {
    expect(
      await place.ok("bundle", "create", "kit", "--bundle-version", "1.2.0", "--description", "all of it"),
    ).toMatch(/^✓ \.ai\/bundles\/kit\/manifest\.yaml: 3 files, \d+ B, signed as ed25519:[\w-]{43}\n$/);
    const inspected = await place.ok("bundle", "inspect", "kit");
    expect(inspected).toMatch(/^kit 1\.2\.0: all of it\n/);
    expect(inspected).toMatch(/signer +you \(not checked\)/);
    const verified = await place.run(["bundle", "verify", "kit"]);
    expect(verified.stdout).toMatch(
      /^✓ kit 1\.2\.0: 3 files, signature of you, nothing changed since 20\d\d-\d\d-\d\d\n$/,
    );
    expect(verified.stderr).toContain("Whether this project may run is another question: selvage trust.");
    expect((await place.run(["bundle", "verify", "kit", "-q"])).stderr).toBe("");
  });

  test("names a changed byte, a missing file and a wrong signer", async () => {
    await place.ok("bundle", "create", "kit", ".ai", "deploy.sh");
    change("deploy.sh", "#!/bin/sH\n");
    rmSync(at(".ai/scripts/mine.yaml"));
    const { code, stdout, stderr } = await place.run(["bundle", "verify", "kit"], other());
    expect(code).toBe(1);
    expect(stdout).toContain("✗ kit 1.0.0: 4 files, 3 findings\n");
    expect(stdout).toContain("deploy.sh: it changed: its content is not what the manifest says");
    expect(stdout).toContain(".ai/scripts/mine.yaml: it is missing");
    expect(stdout).toContain(`its signer is nobody you know: ${await ownKey()}`);
    expect(stderr).toContain("selvage explain E_SIGNATURE");
    const { data, exit } = await place.json("bundle", "verify", "kit");
    expect(exit).toBe(1);
    expect(data).toMatchObject({ ok: false, signature: "valid", standing: { type: "you" } });
    expect(data.findings.map(({ code: each, path }: { code: string; path: string }) => [each, path])).toEqual(
      [
        ["file_missing", ".ai/scripts/mine.yaml"],
        ["file_changed", "deploy.sh"],
      ],
    );
    expect(data.files.map(({ state }: { state: string }) => state).sort()).toEqual([
      "changed",
      "missing",
      "same",
      "same",
    ]);
    expect(await place.ok("explain", "E_SIGNATURE")).toContain("selvage signer add NAME KEY");
  });

  test("counts for others once they know the signer, and for nobody who asks for another", async () => {
    await place.ok("bundle", "create", "kit");
    const key = await ownKey();
    expect((await place.run(["bundle", "verify", "kit"], other())).code).toBe(1);
    expect((await place.run(["bundle", "verify", "kit", "--key", key], other())).code).toBe(0);
    const added = await place.run(["signer", "add", "maya", key], other());
    expect(added.stdout).toContain("No project is trusted by that.");
    const verified = await place.run(["bundle", "verify", "kit"], other());
    expect(verified.stdout).toContain("signature of maya");
    expect((await place.run(["bundle", "verify", "kit", "--key", "maya"], other())).code).toBe(0);
    expect(
      (await place.run(["bundle", "verify", "kit", "--key", `ed25519:${"A".repeat(43)}`])).stdout,
    ).toContain("not the one asked for");
    // A signature they know does not let them run it, and they cannot write to it.
    expect((await place.run(["run", "mine"], other())).code).toBe(9);
    expect((await place.run(["bundle", "create", "kit", "--force"], other())).code).toBe(9);
    await place.run(["signer", "rm", "maya"], other());
    expect((await place.run(["bundle", "verify", "kit"], other())).code).toBe(1);
  });

  test("does not keep a project trusted, nor does trust keep a bundle whole", async () => {
    await place.ok("bundle", "create", "kit");
    change(".ai/tools/deploy.yaml", "description: d\ncommand: rm -rf /\n");
    expect(await place.json("run", "mine")).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
    await place.ok("trust", "--yes");
    expect((await place.json("bundle", "verify", "kit")).exit).toBe(1);
  });

  const REFUSED: [string, string[], number, string][] = [
    ["no such bundle", ["bundle", "verify", "kat"], 5, "E_BUNDLE_NOT_FOUND"],
    ["no id", ["bundle", "create", "../x"], 2, "E_BAD_ID"],
    ["one that is there", ["bundle", "create", "kit"], 6, "E_EXISTS"],
    ["a path out of the project", ["bundle", "create", "new", "../../etc"], 7, "E_BUNDLE_INVALID"],
    ["a path that is not there", ["bundle", "create", "new", "nothing"], 7, "E_BUNDLE_INVALID"],
    ["no verb", ["bundle"], 2, "E_USAGE"],
    ["another verb", ["bundle", "chekc", "kit"], 2, "E_USAGE"],
    ["nobody's key", ["bundle", "verify", "kit", "--key", "bob"], 5, "E_SIGNER_NOT_FOUND"],
    ["no item", ["sign"], 2, "E_USAGE"],
    ["no such item", ["sign", "directive:none"], 5, "E_ITEM_NOT_FOUND"],
    ["a thread is no item", ["verify", "mine-1739820456-k3v9qa"], 5, "E_ITEM_NOT_FOUND"],
    ["no such signer", ["signer", "rm", "bob"], 5, "E_SIGNER_NOT_FOUND"],
    ["no key", ["signer", "add", "bob", "secret"], 2, "E_USAGE"],
  ];

  test("what cannot be done has its exit and its code", async () => {
    await place.ok("bundle", "create", "kit");
    for (const [name, args, exit, code] of REFUSED)
      expect([name, await place.json(...args)]).toMatchObject([name, { exit, error: { code } }]);
  });

  test("whose manifest is no YAML is told with line and column", async () => {
    await place.ok("bundle", "create", "kit");
    change(MANIFEST, read(MANIFEST).replace("files:\n", "files: [\n"));
    const { exit, error } = await place.json("bundle", "verify", "kit");
    expect(exit).toBe(7);
    expect(error).toMatchObject({
      code: "E_BUNDLE_INVALID",
      why: expect.stringMatching(/manifest\.yaml:\d+:\d+: /),
    });
  });

  test("paths are seen from where one stands", async () => {
    await place.ok("-C", at(".ai"), "bundle", "create", "kit", "tools", "../deploy.sh");
    const { data } = await place.json("bundle", "inspect", "kit");
    expect(data.paths).toEqual([".ai/tools", "deploy.sh"]);
  });

  test("with an escape code in a name is not made, so nobody is shown one", async () => {
    change("evil\u001b[2J.md", "x");
    expect(await place.json("bundle", "create", "kit", ".")).toMatchObject({ exit: 7 });
  });
});

describe("an item", () => {
  test("is signed by name or path, checked, and stays trusted and usable", async () => {
    expect(await place.ok("sign", "directive:mine", ".ai/tools/deploy.yaml")).toBe(
      "✓ .ai/directives/mine.md signed\n✓ .ai/tools/deploy.yaml signed\n",
    );
    const verified = await place.json("verify", "directive:mine", "tool:deploy");
    expect(verified).toMatchObject({ exit: 0, kind: "verify.items", data: { ok: true } });
    expect(await place.json("verify")).toMatchObject({ exit: 0, kind: "verify", data: { findings: [] } });
    const run = await place.json("run", "mine");
    expect(run.exit).toBe(0);
    const { stdout } = await place.run(["logs", run.data.thread_id, "--json"]);
    expect(stdout).not.toContain("selvage:signed");
  });

  test("that changed is named, by its own line of the answer", async () => {
    await place.ok("sign", "directive:mine", "tool:deploy");
    change(".ai/tools/deploy.yaml", read(".ai/tools/deploy.yaml").replace("./deploy.sh", "./evil.sh"));
    const { code, stdout } = await place.run(["verify", "directive:mine", "tool:deploy"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✓ \.ai\/directives\/mine\.md: signature of you/);
    expect(stdout).toMatch(/✗ \.ai\/tools\/deploy\.yaml\n {2}it changed since 20/);
  });

  test("of several, none is signed if one may not be", async () => {
    symlinkSync(".ai/directives/mine.md", at("link.md"));
    const before = read(".ai/directives/mine.md");
    expect(await place.json("sign", "directive:mine", "link.md")).toMatchObject({ exit: 7 });
    expect(read(".ai/directives/mine.md")).toBe(before);
    expect(existsSync(join(place.folder, "state/selvage/signing-key.pem"))).toBe(false);
  });

  test("a bundle is one too", async () => {
    await place.ok("bundle", "create", "kit");
    expect(await place.json("verify", "bundle:kit")).toMatchObject({ exit: 0, data: { ok: true } });
    const theirs = { ...other(), XDG_STATE_HOME: place.env["XDG_STATE_HOME"] };
    expect((await place.run(["sign", "bundle:kit"], theirs)).code).toBe(0);
    appendFileSync(at(".ai/directives/mine.md"), "More.\n");
    expect(await place.json("sign", "bundle:kit")).toMatchObject({ exit: 1, error: { code: "E_SIGNATURE" } });
  });
});

describe("only a person", () => {
  test.each([
    ["sign", "directive:mine"],
    ["bundle", "create", "kit"],
    ["signer", "add", "bob", `ed25519:${"A".repeat(43)}`],
    ["signer", "rm", "bob"],
  ])("may %s %s", async (...args) => {
    const { code, stderr } = await place.run(args, { SELVAGE_THREAD: "mine-1-abc" });
    expect(code).toBe(9);
    expect(stderr).toContain("E_AGENT");
    expect(existsSync(join(place.folder, "state/selvage/signing-key.pem"))).toBe(false);
  });
});

test("the private key is in its file and nowhere else: not shown, not stored, not exported", async () => {
  await place.ok("bundle", "create", "kit");
  const path = join(place.folder, "state/selvage/signing-key.pem");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const pem = readFileSync(path, "utf8");
  const body = pem.split("\n")[1] ?? "";
  const seed = Buffer.from(body, "base64").subarray(-32);
  place.write(
    scripted(
      "leak",
      `- says: ${JSON.stringify(`${pem} ${seed.toString("hex")} ${seed.toString("base64url")}`)}\n`,
    ),
  );
  const runs = [
    await place.run(["run", "leak", "--json"]),
    await place.run(["run", "leak"]),
    await place.run(["signer", "ls", "-v"]),
    await place.run(["signer", "add", "bob", seed.toString("base64url")]),
    await place.run(["bundle", "verify", "kit", "--json"]),
  ];
  const files = readdirSync(at(".ai/threads"), { recursive: true, encoding: "utf8" })
    .map((name) => at(`.ai/threads/${name}`))
    .filter((name) => statSync(name).isFile());
  const seen = [
    ...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...files.map((name) => readFileSync(name, "latin1")),
  ];
  expect(files.length).toBeGreaterThan(2);
  for (const secret of [body, seed.toString("hex"), seed.toString("base64url"), seed.toString("base64")])
    expect(seen.filter((text) => text.includes(secret))).toEqual([]);
});
