// Every command has an answer of the family's shape: what it is told, and what comes back.
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_NAMES, type CommandName } from "../../src/surface/rpc/commands.ts";
import { type Place, until } from "../cli/cli.ts";
import { project, raw, type Told } from "./stage.ts";

let place: Place;
let server: ReturnType<typeof raw>;

beforeAll(async () => {
  place = await project(`- says: one\n- says: two\n- says: three\n`);
  server = raw(place);
  server.read();
  await ask({ type: "prompt", message: "hello" });
  await until(() => server.lines.some(({ type }) => type === "agent_settled"));
});

afterAll(async () => {
  server.child.stdin?.end();
  await server.ended;
  place.remove();
});

let asked = 0;
async function ask(command: object): Promise<Told> {
  asked += 1;
  const id = `q${asked}`;
  server.write({ id, ...command });
  return until(() => server.answers().find((answer) => answer["id"] === id));
}

const thread = () => server.lines.find(({ type }) => type === "agent_settled")?.["thread_id"] as string;
const text = expect.any(String);
const ok = (data?: unknown) => ({ success: true, ...(data === undefined ? {} : { data }) });
const no = (code: string) => ({ success: false, code, error: text });
const model = { id: "talk", provider: "scripted", input: ["text"] };

type Row = [command: CommandName, fields: object | (() => object), answer: object];

const TABLE: Row[] = [
  ["hello", {}, ok({ name: "selvage", version: text, protocol: 1, commands: COMMAND_NAMES })],
  ["ping", {}, ok({ pong: true })],
  [
    "get_state",
    {},
    ok({ isStreaming: false, isRetrying: false, autoRetryEnabled: true, model, messageCount: 2 }),
  ],
  ["get_messages", {}, ok({ messages: [{ role: "user", content: "hello" }, { role: "assistant" }] })],
  ["get_last_assistant_text", {}, ok({ text: "one" })],
  ["get_session_stats", {}, ok({ totalMessages: 2, tokens: { total: expect.any(Number) } })],
  ["get_available_models", {}, ok({ models: expect.any(Array) })],
  ["get_commands", {}, ok({ commands: [] })],
  ["set_model", { provider: "scripted", modelId: "talk" }, ok(model)],
  ["cycle_model", {}, ok()],
  ["set_thinking_level", { level: "high" }, no("E_UNSUPPORTED")],
  ["cycle_thinking_level", {}, ok(null)],
  ["set_steering_mode", { mode: "all" }, ok()],
  ["set_follow_up_mode", { mode: "one-at-a-time" }, ok()],
  ["set_auto_compaction", { enabled: true }, ok()],
  ["set_auto_retry", { enabled: true }, ok()],
  ["abort_retry", {}, ok()],
  ["abort", {}, ok()],
  ["compact", {}, ok({ details: { pending: true } })],
  ["steer", { message: "left" }, no("E_WRONG_STATE")],
  ["follow_up", { message: "later" }, no("E_WRONG_STATE")],
  ["bash", { command: "ls" }, no("E_UNSUPPORTED")],
  ["abort_bash", {}, no("E_UNSUPPORTED")],
  ["export_html", {}, no("E_UNSUPPORTED")],
  ["fork", { entryId: "x" }, no("E_UNSUPPORTED")],
  ["clone", {}, no("E_UNSUPPORTED")],
  ["get_fork_messages", {}, no("E_UNSUPPORTED")],
  ["set_session_name", { name: "x" }, no("E_UNSUPPORTED")],
  ["thread_tool", { directive: "nobody" }, no("E_DIRECTIVE_NOT_FOUND")],
  ["wait_threads", () => ({ thread_ids: [thread()] }), ok({ success: true, failed_thread: null })],
  ["resume_thread", () => ({ thread_id: thread() }), no("E_USAGE")],
  ["cancel_thread", () => ({ thread_id: thread() }), no("E_WRONG_STATE")],
  ["send", () => ({ thread_id: thread(), message: "x" }), no("E_WRONG_STATE")],
  ["get_thread", () => ({ thread_id: thread() }), ok({ status: "completed", result: { text: "one" } })],
  ["list_threads", {}, ok({ threads: [{ status: "completed", view: "completed" }] })],
  ["get_chain", {}, ok({ threads: [{ status: "completed" }] })],
  ["chain_search", { query: "hello" }, ok({ hits: expect.any(Array), more: false })],
  ["retry_now", {}, no("E_WRONG_STATE")],
  ["list_approvals", {}, ok({ approvals: [] })],
  ["decide_approval", { approval_id: "ap_none", approved: true }, { success: false }],
  ["get_budget", {}, ok({ thread_id: text })],
  ["set_limits", { set: { turns: 50 } }, { success: false }],
  ["orphan_scan", {}, ok({ orphans: [] })],
  ["recover", {}, ok({ recovered: [] })],
  ["managed_subprocess", { action: "list" }, ok({ processes: [] })],
  ["subscribe", { types: ["thread_completed"] }, ok({ subscription: "sub_1", cursor: expect.any(Number) })],
  ["unsubscribe", { subscription: "sub_1" }, ok()],
  ["prompt", { message: "again" }, ok()],
  ["switch_session", () => ({ sessionPath: thread() }), ok({ cancelled: false })],
  ["new_session", {}, ok({ cancelled: false })],
];

test.each(TABLE)("%s", async (command, fields, answer) => {
  const told = await ask({ type: command, ...(typeof fields === "function" ? fields() : fields) });
  expect(told).toMatchObject({ type: "response", command, ...answer });
  expect(Object.keys(told)).toContain(told["success"] ? "success" : "error");
});

test("the table has every command, but the one that ends it", () => {
  expect(TABLE.map(([command]) => command).sort()).toEqual(
    COMMAND_NAMES.filter((name) => name !== "shutdown").sort(),
  );
});

test("shutdown is answered, and the process ends well, with nothing on standard output but the protocol", async () => {
  const told = await ask({ type: "shutdown" });
  expect(told).toMatchObject({ success: true });
  expect(await server.ended).toBe(0);
  for (const line of server.lines) expect(typeof line["type"]).toBe("string");
});
