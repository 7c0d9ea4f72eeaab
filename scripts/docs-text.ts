/** The pages under docs/ that are made from declarations. `npm run docs` writes them; a test fails when they are stale. */
import * as z from "zod/mini";
import { EVENTS } from "../src/core/event.ts";
import { PAGES } from "../src/core/problem.ts";
import { providerLines } from "../src/core/provider.ts";
import { settingLines } from "../src/core/settings.ts";

const MADE = "<!-- Made by `npm run docs`. Change the declaration, not this file. -->";

export function generatedPages(): Record<string, string> {
  return {
    "docs/events.md": eventsPage(),
    "docs/settings.md": settingsPage(),
    "docs/providers.md": providersPage(),
    "docs/errors.md": errorsPage(),
  };
}

function eventsPage(): string {
  const rows = Object.entries(EVENTS).map(([type, { criticality, meaning, fields }]) => {
    const names = Object.keys(z.toJSONSchema(fields).properties ?? {}).map((name) => `\`${name}\``);
    return `| \`${type}\` | ${criticality} | ${meaning} | ${names.join(" ")} |`;
  });
  return page(
    "Events",
    `Declared once in \`src/core/event.ts\`. Every event is flat: \`{v, seq, ts, thread_id, type, …}\`. Critical events are
durable before anything that depends on them happens or is shown; \`seq\` rises by one per thread. Droppable events
have no \`seq\`: they are shown while they happen and never stored; the closing event carries the whole value.`,
    ["| event | kind | meaning | its own fields |", "|---|---|---|---|", ...rows],
  );
}

function settingsPage(): string {
  const rows = settingLines().map(
    ({ key, fallback, meaning }) => `| \`${key}\` | \`${JSON.stringify(fallback)}\` | ${meaning} |`,
  );
  return page(
    "Settings",
    `Declared once in \`src/core/settings.ts\`. \`durability\`, \`recover\`, \`retry\` and \`tool\` stand in
\`.ai/config/resilience.yaml\`, \`concurrency\` in \`.ai/config/coordination.yaml\`; the same files in
\`$XDG_CONFIG_HOME/selvage/\` come before them, the defaults before those.`,
    ["| setting | default | meaning |", "|---|---|---|", ...rows],
  );
}

function providersPage(): string {
  const rows = providerLines().map(({ key, meaning }) => `| \`${key}\` | ${meaning} |`);
  return page(
    "Providers",
    `Models are named \`provider/model\`. \`anthropic\` (\`ANTHROPIC_API_KEY\`, \`ANTHROPIC_BASE_URL\`) and \`openai\`
(\`OPENAI_API_KEY\`, \`OPENAI_BASE_URL\`) need no file; their text streams. More, and changes to these, stand by id in
\`.ai/config/providers.yaml\`, over the same file in \`$XDG_CONFIG_HOME/selvage/\`. Proxies come from \`HTTPS_PROXY\`,
\`HTTP_PROXY\`, \`ALL_PROXY\` and \`NO_PROXY\`; this machine is always reached directly. A model on Ollama:

\`\`\`yaml
local: { protocol: openai, base_url: "http://localhost:11434/v1", stream: {}, stall_timeout_seconds: 600 }
\`\`\``,
    ["| key | meaning |", "|---|---|", ...rows],
  );
}

function errorsPage(): string {
  const rows = Object.entries(PAGES).map(
    ([code, { exit, title, meaning, steps }]) =>
      `| \`${code}\` | ${exit} | ${title} | ${meaning} | ${steps.join("; ")} |`,
  );
  return page("Errors", "`selvage explain CODE` prints the same, offline.", [
    "| code | exit | what | meaning | what to do |",
    "|---|---|---|---|---|",
    ...rows,
  ]);
}

function page(title: string, lead: string, lines: readonly string[]): string {
  return `# ${title}\n\n${MADE}\n\n${lead}\n\n${lines.join("\n")}\n`;
}
