/** Writes the pages made from declarations. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generatedPages } from "./docs-text.ts";

for (const [path, text] of Object.entries(generatedPages())) {
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
  console.log(path);
}
