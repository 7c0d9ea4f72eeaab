/** Plays the demo as people see it and makes docs/demo.svg of it; or of a recording that is given: `tsx scripts/picture.ts demo.cast`. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pictureOf } from "./picture-text.ts";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const [given] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "selvage-picture-"));
try {
  const cast = given ?? join(folder, "demo.cast");
  if (given === undefined)
    execFileSync(process.execPath, [path("dist/cli.js"), "demo", "--auto", "--record", cast], {
      stdio: "inherit",
    });
  writeFileSync(path("docs/demo.svg"), pictureOf(readFileSync(cast, "utf8")));
  console.log("docs/demo.svg");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
