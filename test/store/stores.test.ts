import { join } from "node:path";
import { memoryDisk, openMemoryStore } from "../../src/store/stores/memory.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { quickFolder } from "../quick-folder.ts";
import { storeSuite } from "./conformance.ts";

const folder = quickFolder("stores");
let count = 0;

storeSuite("memory", () => {
  const disk = memoryDisk("store-1");
  return { open: (needs) => openMemoryStore(disk, needs) };
});

storeSuite("sqlite", () => {
  count += 1;
  const path = join(folder, `${count}`, "registry.db");
  return { open: (needs) => openSqliteStore({ ...needs, path, durability: "strict" }) };
});
