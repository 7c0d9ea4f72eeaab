/** Puts bytes in place as a whole: until then they have a name that nobody looks at. */
import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";

/** The folder must be there. Of several that put the same file at once, each puts a whole one. */
export async function putWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const draft = join(folder, `.selvage-${randomBytes(8).toString("hex")}.part`);
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, name)).catch(async (cause) => {
    await rm(draft, { force: true });
    throw cause;
  });
}
