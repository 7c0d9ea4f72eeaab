/** What is made from declarations: pages under docs/, and what `--help` says. `npm run docs` writes them; a test fails when they are stale. */
import * as z from "zod/mini";
import { BUILT_IN_TIERS, CATALOGUE, CATALOGUE_DATE } from "../src/core/catalogue-rows.ts";
import { chatLines } from "../src/core/chat-file.ts";
import { EVENTS } from "../src/core/event.ts";
import { HOOK_ACTIONS, HOOK_EVENTS } from "../src/core/hook.ts";
import { type Fact, factsOf, momentOf } from "../src/core/hook-facts.ts";
import { modelLines } from "../src/core/model-file.ts";
import { showDollars } from "../src/core/money.ts";
import type { Rates } from "../src/core/price.ts";
import { PAGES } from "../src/core/problem.ts";
import { providerLines } from "../src/core/provider.ts";
import { settingLines } from "../src/core/settings.ts";
import { cliPage, helpModule, listedModule } from "./cli-page.ts";
import { rpcPage } from "./rpc-page.ts";

const MADE = "<!-- Made by `npm run docs`. Change the declaration, not this file. -->";

export function generatedPages(): Record<string, string> {
  return {
    "docs/events.md": eventsPage(),
    "docs/settings.md": settingsPage(),
    "docs/providers.md": providersPage(),
    "docs/models.md": modelsPage(),
    "docs/chat-settings.md": chatPage(),
    "docs/hooks.md": hooksPage(),
    "docs/errors.md": errorsPage(),
    "docs/cli.md": commandsPage(),
    "src/surface/cli/listed.ts": listedModule(),
    "src/surface/cli/help-pages.ts": helpModule(),
    "docs/rpc.md": protocolPage(),
  };
}

function commandsPage(): string {
  const { lead, lines } = cliPage();
  return page("Command line", lead, lines);
}

function protocolPage(): string {
  const { lead, lines } = rpcPage();
  return page("RPC", lead, lines);
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
    ({ key, fallback, meaning, narrows }) =>
      `| \`${key}\` | \`${JSON.stringify(fallback)}\` | ${meaning} | ${narrows?.says ?? ""} |`,
  );
  return page(
    "Settings",
    `Declared once in \`src/core/settings.ts\`. \`concurrency\` stands in \`.ai/config/coordination.yaml\`, everything else in
\`.ai/config/resilience.yaml\`. The project's stand over the same files in \`$XDG_CONFIG_HOME/selvage/\`, those over
\`/etc/selvage/\`, those over the defaults; a provider's own \`retry\` stands between user and project. Each layer may also
have a \`settings.json\` (the project's is \`.ai/settings.json\`), in camelCase or by the names here, under its YAML.
\`retry.policies.{exponential.base, exponential.max_delay, fixed.delay, rate_limited.fallback}\`, in seconds, are other
names of \`retry.{base_delay_ms, max_delay_ms, fixed_ms, rate_limited_ms}\`. What touches money a project may only narrow.
\`selvage config show --origin\` says what holds and who says so.`,
    ["| setting | default | meaning | in a project |", "|---|---|---|---|", ...rows],
  );
}

function providersPage(): string {
  const rows = providerLines().map(({ key, meaning }) => `| \`${key}\` | ${meaning} |`);
  return page(
    "Providers",
    `Models are named \`provider/model\`. \`anthropic\` (\`ANTHROPIC_API_KEY\`, \`ANTHROPIC_BASE_URL\`) and \`openai\`
(\`OPENAI_API_KEY\`, \`OPENAI_BASE_URL\`) need no file; their text streams. More, and changes to these, stand by id in
\`.ai/config/providers.yaml\`, over the same file in \`$XDG_CONFIG_HOME/selvage/\` and in \`/etc/selvage/\`. Proxies come from \`HTTPS_PROXY\`,
\`HTTP_PROXY\`, \`ALL_PROXY\` and \`NO_PROXY\`; this machine is always reached directly. A model on Ollama:

\`\`\`yaml
local: { protocol: openai, base_url: "http://localhost:11434/v1", stream: {}, stall_timeout_seconds: 600 }
\`\`\``,
    ["| key | meaning |", "|---|---|", ...rows],
  );
}

function chatPage(): string {
  const rows = chatLines().map(
    ({ key, fallback, meaning, narrows }) =>
      `| \`${key}\` | \`${JSON.stringify(fallback)}\` | ${meaning} | ${narrows?.says ?? ""} |`,
  );
  return page("Chat settings", CHAT_LEAD, [
    "| key | default | meaning | in a project |",
    "|---|---|---|---|",
    ...rows,
  ]);
}

const CHAT_LEAD = `What the chat bot does where stands in \`.ai/config/chat.yaml\`, over the same file in \`$XDG_CONFIG_HOME/selvage/\`, over the one
in \`/etc/selvage/\`, over the defaults. People are named \`PLATFORM:PERSON\`, chats \`PLATFORM:CHAT\`; bots, and Selvage itself, may never do
anything. Tokens stand in environment variables: the file names these, and a token in it is refused. A project names no more people than its
user does, says nowhere at which address a platform is reached, and hands no platform the key of a provider. \`selvage config check\` reads it.

\`selvage serve --chat\` starts the bot on the platforms that stand here ([a bot in Slack](chat.md)) and honours all of it; \`selvage chat\`, the talk
at a terminal, all but \`platforms\`, \`port\` and the schedules of other places. It is read at the start: after a change, start again.

What people attach is read where \`attachments\` allows it: up to 20 files of a message, each within 30 seconds, and only what is what its type says. It
is kept in \`.ai/attachments/THREAD/\`, out of git, until the thread is pruned; the agent is told names, types, sizes and paths, and small texts
are shown to it as something to read. Pictures and archives are there for tools alone. What is not read is named to who sent it, and the message goes
on without it. A message with files is held on disk until they are here, and so is what follows it in the same chat: a crash loses no word, but a file
that was still on its way is named as missing.

An agent sends files with the tool \`send_file\`, which a chat is offered where its directive grants \`selvage.execute.tool.send_file\`: files of the project up
to 50 MB, and none of Selvage's own. Each is uploaded once; where the platform does not take it, people are told where it stands. Long code, and tables of
more than 20 rows, become files by themselves.

What was said is written to \`.ai/threads/THREAD/log.jsonl\`, in the folder of the first thread of a chat: one line for each message in and out, with who,
when, text, names and attachments. It is made from the journal, goes on after a line that a crash cut off, and comes back when it is deleted.

\`\`\`yaml
platforms:
  slack: { env: { botToken: SLACK_BOT_TOKEN, signingSecret: SLACK_SIGNING_SECRET } }
approve: [slack:U024BE7LH] # in your own file: a project cannot name anybody whom you did not
channels:
  "slack:C024BE91L": { directive: triage, hide_costs: true }
schedules:
  - { id: standup, place: "slack:C024BE91L", prompt: "What is open?", cron: "0 9 * * mon-fri", zone: Europe/Oslo }
  - { id: freeze, place: "slack:C024BE91L", prompt: "The freeze begins.", once: 2026-12-18T16:00:00Z }
\`\`\`

The five fields of \`cron\` are minute, hour, day, month and weekday, with \`*\`, lists, ranges, steps and names; where both days are said, either is
enough. An hour that a zone leaves out in spring is caught up an hour later; one that comes twice in autumn counts once.

A scheduled prompt is told in its place as soon as a bot runs that speaks there, under a name made of its \`id\` and its time: however many
processes run, however often they start and whatever is done to the clock, each is told once. Of what was due while nothing ran, the last is
caught up if it is less than 24 hours late; what comes \`once\`, if it is less than a week late. That holds for a schedule that is new, too. It
speaks as \`schedule:ID\`, which may talk and nothing else: what looks like a command in it is words.`;

function modelsPage(): string {
  const dollars = (rate: number) => showDollars(rate * 1_000_000).replace(/0{1,2}$/, "");
  const cells = ({ input, output, cache_read, cache_write }: Rates) =>
    [input, output, cache_read, cache_write].map(dollars).join(" | ");
  const tierRows = Object.entries(BUILT_IN_TIERS).map(
    ([provider, { fast, default: usual, deep }]) =>
      `| ${provider} | \`${fast}\` | \`${usual}\` | \`${deep}\` |`,
  );
  const rows = CATALOGUE.flatMap(({ name, price, window, maxOutput }) => [
    `| \`${name}\` | ${cells(price)} | ${window} | ${maxOutput} |`,
    ...(price.long ? [`| above ${price.long.above} tokens sent | ${cells(price.long)} | | |`] : []),
  ]);
  return page("Models", MODELS_LEAD, [
    "| key | meaning |",
    "|---|---|",
    ...modelLines().map(({ key, meaning }) => `| \`${key}\` | ${meaning} |`),
    "",
    "Tiers that no file names mean models of the first of these providers that has a key:",
    "",
    "| key of | fast | default | deep |",
    "|---|---|---|---|",
    ...tierRows,
    "",
    `The catalogue, as of ${CATALOGUE_DATE}, in dollars per million tokens:`,
    "",
    "| model | input | output | cache read | cache write | window | longest answer |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ]);
}

const MODELS_LEAD = `What a model costs and holds is known from a catalogue and from \`models.yaml\`: the project's in \`.ai/config/\` over the
same file in \`$XDG_CONFIG_HOME/selvage/\`, over the one in \`/etc/selvage/\`, over the catalogue, part by part. A dated version
such as \`claude-sonnet-4-5-20250929\` is found by the name without its date; \`provider/*\` is for models that nothing else is
known about. A model without \`input\` and \`output\` has no price, and no thread with a spend limit runs on it. A project may
raise a price or name one that nobody knows; it may not lower one, because a model that counts as cheaper than it is walks past
its budget. Scripts cost nothing that is real and have a price so that budgets can be shown. \`selvage models ls\` lists what
holds here.

\`\`\`yaml
models:
  anthropic/claude-of-tomorrow: { input: 3.00, output: 15.00, cache_read: 0.30, cache_write: 3.75, window: 200000, max_output: 64000 }
  local/*: { input: 0, output: 0 }
tiers: { fast: local/qwen3, deep: anthropic/claude-opus-5-5 }
\`\`\`

A directive names a model by its id, \`model: { id: anthropic/claude-opus-5-5 }\`, or by a tier, \`model: { tier: deep }\`. What a
tier means is looked up when a thread starts and stays with it.`;

function hooksPage(): string {
  const everywhere = factsOf("before_step");
  const rows = HOOK_EVENTS.map((event) => {
    const moment = momentOf(event);
    const own = moment.facts.map(({ name }) => `\`${name}\``);
    return `| \`${event}\` | ${moment.fires} | ${moment.follows} | ${own.join(" ")} |`;
  });
  const own = HOOK_EVENTS.flatMap((event) => momentOf(event).facts).map(factRow);
  return page("Hooks", HOOKS_LEAD, [
    "| event | fired | default that follows | its own facts |",
    "|---|---|---|---|",
    ...rows,
    "",
    "| fact | kind | meaning |",
    "|---|---|---|",
    ...new Set([...everywhere.map(factRow), ...own]),
  ]);
}

function factRow({ name, type, meaning, values }: Fact): string {
  const words = values ? ` One of ${values.map((value) => `\`${value}\``).join(" ")}.` : "";
  return `| \`${name}\` | ${type} | ${meaning}${words} |`;
}

const HOOKS_LEAD = `Declared once in \`src/core/hook-facts.ts\`. Hooks stand in \`.ai/config/hooks.yaml\`, in the same file in
\`$XDG_CONFIG_HOME/selvage/\` and in \`/etc/selvage/\`, and under \`hooks\` in the head of a directive. All that match run, a
directive's first, then the project's, the user's and the machine's, up to the first that decides. They narrow or ask:
none lifts a limit. \`selvage hooks ls\` lists them, \`selvage hooks test EVENT --data FILE\` says which would run.

\`\`\`yaml
hooks:
  - id: ask-before-push
    event: before_tool
    when: tool == 'bash' && like(input.command, 'git +push')
    command: ./scripts/ask.sh
    inputs: { why: "turn {turn}, {cost.spend} dollars" }
    timeout_seconds: 30
  - { id: dear, event: limit, when: spend_exceeded, command: ./scripts/notify.sh }
  - { id: guard, event: before_tool, when: "tool == 'write'", directive: ops/guard, timeout_seconds: 120 }
\`\`\`

A command is told \`{"hook", "event", …facts, "inputs"}\` as JSON on its input, and runs in the project's root. No output means
\`continue\`; otherwise it answers \`{"action": …, "message"?: …, "context"?: {"message": …}}\`, where the action is one of
${HOOK_ACTIONS.map((action) => `\`${action}\``).join(" ")} and the context is text for the conversation. With a context, no action means \`continue\`.

At \`context_window_pressure\` it may also answer \`{"compaction": {"summary": …, "prune_before_turn": …}}\`: answers before that
turn are left out with their results, and the summary stands in their place, labelled as notes that nobody need obey.
Without a turn only the last answer stays. What people said stays word for word, the journal keeps everything, and a patch that makes
nothing shorter changes nothing. Of several, the first counts ([what happens when a conversation fills up](context.md)).

A directive is started as a child of the thread, which is parked until it answers: no turn, no money but the child's.
What it hands back with \`directive_return\` is read as a command's answer is; what it leaves empty, it does not say.

\`\`\`markdown
---
description: Looks at a file before it is written
model: { tier: fast }
limits: { spend: "0.02", turns: 3 }
permissions: [execute.tool.read]
inputs: { tool: { required: true }, input: { required: true }, cost_spend: { type: number } }
outputs: { action: { type: string }, message: { type: string } }
---
The call: {input:tool} {input:input}. Answer continue, suspend (a person is asked) or fail, and say why.
\`\`\`

- *Inputs.* \`hook\`, \`event\` and every fact of the moment under its own name (\`code\` \`current\` \`max\` \`tool\` …; of a group
  \`cost_spend\`, \`limits_turns\`; what is no text or number as JSON), where the directive declares an input of that name;
  and the hook's own \`inputs\`, which it must declare.
- *Money.* Its \`limits.spend\`, which it must name, is held on the thread's account; where less is left, as much as there is.
  It is part of what the thread spends.
- *Rights.* What its directive declares and the thread may hand on. To be started it needs none: the hook was trusted.
  Trust is looked at again each time.
- *Time.* \`timeout_seconds\`, 300 where nothing is said (a command: 30), 600 at most. One that takes longer is stopped.
- *A hook triggers no hooks.* In its thread, and below it, none are asked, but for commands and functions before a tool:
  these guard the whole tree. It is started in the deepest thread too, and counts neither as a spawn nor as a child of
  the model's.
- *One that falls over* (it fails, ends without outputs, answers nonsense, stops for a person, has no money or no time, is
  not there) has decided nothing: before a tool a person is asked, elsewhere the default follows. \`selvage logs\` says why.
  One that wants a person asked answers \`suspend\`.
- *One that makes a conversation shorter* declares \`outputs: { compaction: { type: object } }\` and hands back
  \`{summary, prune_before_turn}\` in it. It is told how full the conversation is, not what stands in it: that it reads where its
  rights let it.

\`when\` is CEL: \`== != < <= > >= in && || ! + - * / %\`, \`text.startsWith(…)\`, \`text.endsWith(…)\`, \`text.contains(…)\`,
\`size(…)\`, \`has(input.field)\` and \`like(text, 'pattern')\` (RE2, anywhere in the text). There are no loops, and \`matches\` is
refused. A limit's code alone means \`code == '…'\`. The same as a mapping: \`{path, op, value}\`, \`{any: […]}\`, \`{all: […]}\`,
\`{not: …}\`, with the operators \`== != < <= > >= in contains starts_with ends_with like\`. What a condition names is checked
when the file is read; one that cannot be told when it is asked does not match, and the journal says so.

Every fact is always there; one that is not known is 0 or empty.`;

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
