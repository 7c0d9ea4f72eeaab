/** The small programs of the demo's project: real files, a real server, and a log of what really happened. */

/** Again with the same key it changes nothing: whoever makes the file of the key is the one who did it. */
const WRITE_FILE = `import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const { path, content } = JSON.parse(readFileSync(0, "utf8"));
const key = process.env.SELVAGE_CALL_KEY;
const isHeld = () => {
  try {
    return readFileSync("slow-disk", "utf8") === path && Date.now() - statSync("slow-disk").mtimeMs < 60_000;
  } catch {
    return false;
  }
};
const log = (what) => appendFileSync("effects.log", \`\${what} \${key} \${path}\\n\`);

log("begin");
while (isHeld()) await sleep(20);
mkdirSync(".keys", { recursive: true });
mkdirSync(dirname(path), { recursive: true });
try {
  writeFileSync(\`.keys/\${key}\`, "", { flag: "wx" });
} catch {
  console.log(\`\${path} was written before\`);
  process.exit(0);
}
writeFileSync(path, content);
log("done");
console.log(\`wrote \${path}\`);
`;

const DEV_SERVER = `import { createServer } from "node:http";
import { writeFileSync } from "node:fs";

const server = createServer((_, response) => response.end("tasks: 0\\n"));
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  writeFileSync("port", String(port));
  console.log(\`ready on port \${port}\`);
});
`;

const CHECK_APP = `import { readFileSync } from "node:fs";

const port = readFileSync("port", "utf8");
const answer = await fetch(\`http://127.0.0.1:\${port}/\`, { signal: AbortSignal.timeout(20_000) });
console.log(\`\${answer.status} \${(await answer.text()).trim()}\`);
process.exitCode = answer.ok ? 0 : 1;
`;

export const PROGRAMS: Readonly<Record<string, string>> = {
  "programs/write-file.mjs": WRITE_FILE,
  "programs/dev-server.mjs": DEV_SERVER,
  "programs/check-app.mjs": CHECK_APP,
};
