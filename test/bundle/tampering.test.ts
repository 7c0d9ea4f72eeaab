// A bundle on a real disk: everything that is done to its files, its manifest and its signature is found.
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bundleProject, codes, key, MANIFEST, stranger } from "./project.ts";

const { at, read, write, create, verify } = bundleProject();

describe("what was done to it is named", () => {
  const table: [string, () => void, string[]][] = [
    ["one byte of a file", () => write("b.sh", "#!/bin/sH\n"), ["file_changed b.sh"]],
    ["one byte more", () => appendFileSync(at("b.sh"), "\n"), ["file_changed b.sh"]],
    ["line ends", () => write("b.sh", "#!/bin/sh\r\n"), ["file_changed b.sh"]],
    ["an empty file", () => truncateSync(at("b.sh")), ["file_changed b.sh"]],
    ["a file that is gone", () => rmSync(at("b.sh")), ["file_missing b.sh"]],
    [
      "a folder that is gone",
      () => rmSync(at(".ai/tools"), { recursive: true }),
      ["file_missing .ai/tools/b.yaml"],
    ],
    [
      "a link to the very same bytes",
      () => {
        renameSync(at("b.sh"), at("c.sh"));
        symlinkSync("c.sh", at("b.sh"));
      },
      ["file_refused b.sh"],
    ],
    [
      "a folder that is a link",
      () => {
        renameSync(at(".ai/tools"), at("elsewhere"));
        symlinkSync("../elsewhere", at(".ai/tools"));
      },
      ["file_refused .ai/tools/b.yaml"],
    ],
    [
      "a folder in the place of a file",
      () => {
        rmSync(at("b.sh"));
        mkdirSync(at("b.sh"));
      },
      ["file_refused b.sh"],
    ],
    ["a comment in the manifest", () => appendFileSync(at(MANIFEST), "# hi\n"), ["manifest_rewritten"]],
    [
      "line ends of the manifest",
      () => write(MANIFEST, read(MANIFEST).replaceAll("\n", "\r\n")),
      ["manifest_rewritten"],
    ],
    [
      "a hash in the manifest, to fit a changed file",
      () =>
        write(
          MANIFEST,
          read(MANIFEST)
            .replace(/sha256: "./, 'sha256: "0')
            .replace(/sha256: "0(.)/, 'sha256: "0$1'),
        ),
      ["file_changed .ai/directives/a.md", "signature_invalid"],
    ],
    [
      "the version",
      () => write(MANIFEST, read(MANIFEST).replace('"1.0.0"', '"1.0.1"')),
      ["signature_invalid"],
    ],
    [
      "a file taken off the list",
      () => write(MANIFEST, read(MANIFEST).replace(/.*"b\.sh", bytes.*\n/, "")),
      ["signature_invalid"],
    ],
    [
      "the signature taken off",
      () => write(MANIFEST, read(MANIFEST).replace(/sign(er|ature): .*\n/g, "")),
      ["signature_missing"],
    ],
    [
      "another signer's name put in",
      () => write(MANIFEST, read(MANIFEST).replace(key.signer, stranger.signer)),
      ["signature_invalid", "signer_unknown"],
    ],
  ];
  test.each(table)("%s", async (_, change, expected) => {
    await create([".ai", "b.sh"]);
    change();
    const report = await verify();
    expect(codes(report)).toEqual(expected);
    expect(report.ok).toBe(false);
  });

  test("a bundle that somebody else signed again after a change", async () => {
    await create(["b.sh"]);
    appendFileSync(at("b.sh"), "rm -rf /\n");
    await create(["b.sh"], { key: stranger, force: true });
    expect(codes(await verify())).toEqual(["signer_unknown"]);
    expect((await verify({ wanted: stranger.signer })).ok).toBe(true);
    expect(codes(await verify({ wanted: key.signer }))).toEqual(["signer_other"]);
  });

  test("the signature of another bundle", async () => {
    await create(["b.sh"]);
    await create(["b.sh", ".ai"], { id: "other" });
    const pasted = /signature: .*\n/.exec(read(".ai/bundles/other/manifest.yaml"))?.[0] ?? "";
    write(MANIFEST, read(MANIFEST).replace(/signature: .*\n/, pasted));
    expect(codes(await verify())).toEqual(["signature_invalid"]);
  });

  test("a whole bundle under another id", async () => {
    await create(["b.sh"]);
    cpSync(at(".ai/bundles/kit"), at(".ai/bundles/kat"), { recursive: true });
    await expect(verify({ id: "kat" })).rejects.toMatchObject({
      code: "E_BUNDLE_INVALID",
      why: expect.stringContaining("it is the manifest of kit, not of kat"),
    });
  });

  test("what came to lie beside it, if that is asked for", async () => {
    await create([".ai"]);
    write(".ai/tools/evil.yaml", "command: x\n");
    symlinkSync("/etc/passwd", at(".ai/tools/link"));
    expect(await verify()).toMatchObject({ ok: true, extra: [".ai/tools/evil.yaml", ".ai/tools/link"] });
    expect(codes(await verify({ strict: true }))).toEqual([
      "file_extra .ai/tools/evil.yaml",
      "file_extra .ai/tools/link",
    ]);
  });
});

test("any other byte, anywhere in a file or in the manifest, is found", async () => {
  await create([".ai", "b.sh"]);
  const covered = [".ai/directives/a.md", ".ai/tools/b.yaml", "b.sh", MANIFEST];
  const change = fc.record({
    path: fc.constantFrom(...covered),
    where: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    by: fc.integer({ min: 1, max: 255 }),
    kind: fc.constantFrom("replace", "insert", "remove"),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ path, where, by, kind }) => {
      const before = readFileSync(at(path));
      const place = Math.floor(where * before.length);
      const byte = Buffer.from([((before[place] ?? 0) + by) % 256]);
      const rest = before.subarray(kind === "insert" ? place : place + 1);
      const after = Buffer.concat([before.subarray(0, place), kind === "remove" ? Buffer.of() : byte, rest]);
      writeFileSync(at(path), after);
      try {
        const outcome = await verify().catch((problem) => ({ ok: false, problem }));
        expect(outcome.ok).toBe(false);
        if ("problem" in outcome) expect(outcome.problem).toMatchObject({ code: "E_BUNDLE_INVALID" });
      } finally {
        writeFileSync(at(path), before);
      }
    }),
    { numRuns: 400 },
  );
  expect((await verify()).ok).toBe(true);
});
