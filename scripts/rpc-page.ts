/** docs/rpc.md, from the commands as they are declared. */
import * as z from "zod/mini";
import type { Declared } from "../src/surface/rpc/declared.ts";
import { FAMILY_COMMANDS } from "../src/surface/rpc/family-commands.ts";
import { OWN_COMMANDS } from "../src/surface/rpc/own-commands.ts";

const LEAD = `\`selvage rpc\` serves one program: JSON objects, one a line, on standard input and output. Names, envelope and fields are those
of the pi family (\`@mariozechner/pi-coding-agent\`), so that its clients work; threads, questions, money and recovery stand
beside them under our own names. Lines end at LF and nowhere else (a CR before it is left out): do not read them with
something that also ends lines at U+2028. Nothing but the protocol is on standard output; hints are on standard error.

\`\`\`console
> {"id": "1", "type": "prompt", "message": "Say hello"}
< {"id":"1","type":"response","command":"prompt","success":true}
< {"type":"agent_settled","status":"completed","thread_id":"…"}
> {"id": "2", "type": "get_last_assistant_text"}
< {"id":"2","type":"response","command":"get_last_assistant_text","success":true,"data":{"text":"Hello."}}
> {"id": "3", "type": "set_auto_retry", "enabled": false}
< {"id":"3","type":"response","command":"set_auto_retry","success":true}
> {"id": "4", "type": "abrt"}
< {"id":"4","type":"response","command":"abrt","success":false,"error":"There is no command \\"abrt\\". Did you mean abort?","code":"E_USAGE"}
> {"id": "5", "type": "shutdown"}
< {"id":"5","type":"response","command":"shutdown","success":true}
\`\`\`

A session is a chain of threads ([decision 25](decisions/0025-a-session-is-a-chain.md)): the first prompt starts a thread, and one
that comes after its end goes on in the next. \`--session ID\` takes up a chain by any of its threads, also after a crash.
\`--model\`, \`--system\`, \`--permit RIGHT\` and \`--set LIMIT=VALUE\` say what new chains begin with; nothing granted is nothing
allowed. Limits are the chain's: a long talk wants more \`turns\` than one piece of work.

- An answer has the \`id\` of its command, \`success\`, and \`data\` or \`error\`; with an error come its \`code\` ([errors](errors.md)) and
  often \`next\`. A \`prompt\` is answered once it is stored; what comes of it are events, and \`agent_settled\` is the last of them.
- Commands begin in order. One that takes long is answered when it is done, and holds up nobody.
- More than 1,000 commands that wait are too many: \`E_OVERLOADED\`, with \`retry_after_ms\`. A line may have 16 MiB.
- Who reads slowly loses no event that is stored; deltas (\`message_update\`, \`tool_execution_update\`) are left out meanwhile.
- Questions of the session's tree are put as \`extension_ui_request\` (\`confirm\`) and answered with \`{"type": "extension_ui_response",
  "id": …, "confirmed": true}\`. With \`"cancelled": true\` they stay open for a person. A process that a tool started may not answer.
- The end of standard input: what was asked is answered, threads stop where nothing is lost, and the process ends with 0.

A program in Node.js may have the same without a process: \`const session = await (await open(".")).createSession()\`. Or over
the pipes, with types:

\`\`\`ts
import { RpcClient } from "selvage";

const client = new RpcClient({ cwd: ".", args: ["--permit", "execute.tool.read"] });
client.onEvent((event) => {
  if (event.type === "message_update") process.stdout.write(event.assistantMessageEvent.delta);
});
await client.start();
await client.promptAndWait("What is in README.md?");
await client.stop();
\`\`\``;

const EVENTS = `| event | when |
|---|---|
| \`agent_start\`, \`agent_end {messages, willRetry}\` | a run of the model begins and ends; with \`willRetry\` it failed and is made again |
| \`agent_settled {status, thread_id}\` | nothing more comes by itself: it ended, or waits for a person |
| \`turn_start\`, \`turn_end {message, toolResults}\` | one answer and the calls it asked for |
| \`message_start\`, \`message_update {message, assistantMessageEvent}\`, \`message_end {message}\` | what a person, the model or a tool says |
| \`tool_execution_start {toolCallId, toolName, args}\`, \`…_update {partialResult}\`, \`…_end {result, isError}\` | a tool runs: it may begin while the answer still streams |
| \`queue_update {steering, followUp}\` | what was said and is not read yet |
| \`auto_retry_start {attempt, maxAttempts, delayMs, errorMessage}\`, \`auto_retry_end {success, attempt, finalError?}\` | a wait for another try |
| \`compaction_start {reason}\`, \`compaction_end {reason, result, aborted, willRetry, errorMessage?}\` | the conversation is made shorter |
| \`thread_*\`, \`approval_*\`, \`budget_*\`, \`child_*\`, \`crash_*\` | ours, as they stand in the [journal](events.md) |
| \`extension_ui_request {id, method, title, message, thread_id}\` | a question |
| \`journal_event {subscription, cursor, event}\` | of a \`subscribe\`; without a cursor, one that is not stored |`;

export function rpcPage(): { readonly lead: string; readonly lines: readonly string[] } {
  return {
    lead: LEAD,
    lines: [
      ...["## Events", "", EVENTS, ""],
      ...["## Commands of the family", "", ...table(FAMILY_COMMANDS), ""],
      ...["## Our own", "", ...table(OWN_COMMANDS)],
    ],
  };
}

function table(commands: Readonly<Record<string, Declared>>): string[] {
  const rows = Object.entries(commands).map(
    ([name, { meaning, fields }]) => `| \`${name}\` | ${meaning} | ${fieldsOf(fields)} |`,
  );
  return ["| command | meaning | fields |", "|---|---|---|", ...rows];
}

interface Field {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
}

function fieldsOf(fields: Declared["fields"]): string {
  const { properties = {}, required = [] } = z.toJSONSchema(fields, { io: "input", unrepresentable: "any" });
  return Object.entries(properties as Record<string, Field>)
    .map(([name, { description, enum: values }]) => {
      const mark = required.includes(name) ? "" : "?";
      const choice = values ? ` (${values.join(", ")})` : "";
      return `\`${name}${mark}\`${choice}${description === undefined ? "" : `: ${description}`}`;
    })
    .join("<br>");
}
